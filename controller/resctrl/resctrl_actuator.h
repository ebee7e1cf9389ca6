// SPDX-License-Identifier: Apache-2.0
// Observes and changes the mounted resctrl. Files of groups stay open between calls, so that a group which was
// removed and made again by somebody else answers ENODEV instead of taking writes meant for the old one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controller/kernel/file_system.h"
#include "controller/planner/actuator.h"
#include "controller/planner/observed.h"
#include "controller/resctrl/capabilities_reader.h"

namespace bulkhead {

class GroupFiles;

// How often and how long mkdir is tried again while the kernel has freed RMIDs that still hold cache (EBUSY).
struct LimboPatience {
  int tries = 5;
  int wait_ms = 1000;  // the kernel looks for clean RMIDs once a second
};

class ResctrlActuator : public Actuator {
 public:
  // Looks for resctrl once, here. The file system must outlive the actuator.
  explicit ResctrlActuator(FileSystem& files, LimboPatience patience = {});
  ~ResctrlActuator() override;

  // Whether there is a mounted resctrl, and if not why. Without one, every call below except capabilities()
  // throws Error(unsupported) with presence().explanation.
  const ResctrlPresence& presence() const { return presence_; }
  bool mounted() const { return presence_.state == ResctrlState::mounted; }

  Capabilities capabilities(const std::string& vendor);

  // All control groups, the default one first, then by name. A group that vanishes while it is read is left out.
  std::vector<ObservedGroup> observe();

  // Ids of the threads in a group ("" the default one, "bulkhead.web", "g/mon_groups/m"), sorted. A control
  // group's include those of its monitoring groups. A group that is not there has none.
  std::vector<unsigned> tasks_of(const std::string& group);

  // flock on the mount's directory: programs that change resctrl agree to hold it. Error(conflict) when another
  // one still has it after `patience_ms`.
  std::unique_ptr<FileLock> lock(int patience_ms);

  void apply(const Step& step) override;
  void undo(const Step& step) override;

 private:
  GroupFiles& groups();

  FileSystem& files_;
  LimboPatience patience_;
  ResctrlPresence presence_;
  std::unique_ptr<GroupFiles> groups_;
};

}  // namespace bulkhead

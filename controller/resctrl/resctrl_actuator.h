// SPDX-License-Identifier: Apache-2.0
// Observes and changes the mounted resctrl. Files of groups stay open between calls, so that a group which
// was removed and made again by somebody else answers ENODEV instead of taking writes meant for the old one.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controller/kernel/file_system.h"
#include "controller/planner/observed.h"
#include "controller/resctrl/capabilities_reader.h"
#include "controller/resctrl/group_actuator.h"

namespace bulkhead {

class GroupFiles;
class TaskMover;

// How often and how long mkdir is tried again while the kernel has freed RMIDs that still hold cache (EBUSY).
struct LimboPatience {
  int tries = 6;
  int wait_ms = 1000;  // between two tries; the kernel looks for clean RMIDs once a second
};

class ResctrlActuator : public GroupActuator {
 public:
  // Looks for resctrl once, here. The file system must outlive the actuator.
  explicit ResctrlActuator(FileSystem& files, LimboPatience patience = {});
  ~ResctrlActuator() override;

  std::string_view name() const override { return "resctrl"; }

  // Without a mounted resctrl every call below except capabilities() throws Error(unsupported) with
  // presence().explanation.
  const ResctrlPresence& presence() const override { return presence_; }
  bool mounted() const { return presence_.state == ResctrlState::mounted; }
  bool usable() override { return mounted(); }
  std::string lack() override { return presence_.explanation; }

  // `vendor` is the host's, Machine::vendor. What cannot change while resctrl stays mounted is read once.
  Capabilities capabilities(const std::string& vendor);

  // The same where the groups have been observed already: no file of theirs is read again.
  Capabilities capabilities(const std::string& vendor, const std::vector<ObservedGroup>& groups) override;

  // A group that vanishes while it is read is left out.
  std::vector<ObservedGroup> observe() override;
  std::vector<ObservedGroup> observe(const std::vector<std::string>& names) override;

  std::vector<unsigned> tasks_of(const std::string& group) override;

  // flock on the mount's directory: programs that change resctrl agree to hold it.
  std::unique_ptr<FileLock> lock(int patience_ms) override;

  // The kernel's words for what it refused last; empty for none.
  std::string last_words();

  void apply(const Step& step) override;
  void undo(const Step& step) override;

 private:
  GroupFiles& groups();
  TaskMover& mover();

  void make_group(const std::string& group);
  std::string rmid_count();
  void remove_group(const std::string& group);
  void write_schemata(const std::string& group, const std::string& text);

  void undo_make_group(const std::string& group);
  void restore_group(const std::string& group, const GroupImage& image);
  void restore_schemata(const std::string& group, const std::string& before);
  void restore_cpus(const std::string& group, const std::string& before);
  void restore_tasks(const std::string& target, const std::map<unsigned, std::string>& tasks);

  FileSystem& files_;
  LimboPatience patience_;
  ResctrlPresence presence_;
  std::optional<Capabilities> info_;
  std::unique_ptr<GroupFiles> groups_;
  std::unique_ptr<TaskMover> mover_;
  std::set<std::string> not_ours_;  // groups that could not be made because they were there already
};

}  // namespace bulkhead

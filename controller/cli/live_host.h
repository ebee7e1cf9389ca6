// SPDX-License-Identifier: Apache-2.0
// This host, wired together for one run of a verb.
#pragma once

#include <memory>
#include <string>

#include "cgroup/units.h"
#include "controller/cli/verbs.h"
#include "controller/engine/engine.h"
#include "controller/kernel/file_system.h"
#include "controller/topology/machine.h"

namespace bulkhead {

class LiveHost {
 public:
  // Looks at the host. With `mount` a resctrl that is not mounted is mounted first, with code and data apart
  // if `cdp`.
  explicit LiveHost(const Options& options, bool mount = false, bool cdp = false);

  const Machine& machine() const { return machine_; }
  FileSystem& files() { return *files_; }
  Engine& engine() { return engine_; }
  const ResctrlPresence& presence() { return engine_.resctrl().presence(); }
  bool mounted_by_us() const { return mounted_by_us_; }

  // What the engine proposes; what this host cannot is explained. Where the state cannot be read for lack of
  // rights `unread_state` becomes true, and what is compared with is the host alone.
  Proposal propose(const PolicySource& source, bool& unread_state);

  // Finishes the undo of an interrupted transaction, and says so. While somebody else is at work, verbs that
  // only look say that and go on.
  void finish_interrupted(const Console& console, bool only_looks = false);

 private:
  static bool mount_resctrl(FileSystem& files, bool cdp);

  std::unique_ptr<FileSystem> files_;
  bool mounted_by_us_;
  std::unique_ptr<UnitManager> units_;
  Machine machine_;
  Store store_;
  Engine engine_;
};

// Whether an l3 of the policy has code and data apart.
bool wants_cdp(const Policy& policy);

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// This host, wired together: its files, its machine, and an engine on them.
#pragma once

#include <memory>
#include <string>

#include "cgroup/units.h"
#include "controller/engine/engine.h"
#include "controller/kernel/file_system.h"
#include "controller/monitor/counter_source.h"
#include "controller/topology/machine.h"

namespace bulkhead {

struct LiveHostOptions {
  std::string runtime_dir;          // empty: the usual one
  std::string actuator = "auto";    // one of kActuatorNames
  std::uint64_t ccd_bandwidth = 0;  // bytes a second; 0: as remembered
  bool mount = false;               // resctrl, where it is not mounted
  bool cdp = false;                 // with code and data apart
};

class LiveHost {
 public:
  // Looks at the host as it is now: CPUs and mounts that change later take a new one.
  explicit LiveHost(const LiveHostOptions& options);

  const Machine& machine() const { return machine_; }
  FileSystem& files() { return *files_; }
  Engine& engine() { return engine_; }
  Store& store() { return store_; }  // of the runtime directory
  const ResctrlPresence& presence() { return engine_.groups().presence(); }
  // Whether CPUs or mounts are others than when the host was opened, or "auto" another actuator, since nothing
  // is in force any more, or something: then a new one has to be opened.
  bool has_changed();
  // Where resctrl, with its groups and counters, is mounted; empty where it is not.
  std::string mount_point();
  // Of the groups that the engine writes; null where nothing counts them, and why.
  std::unique_ptr<CounterSource> counter_source();
  std::string lack_of_counters();  // where that is so
  bool mounted_by_us() const { return mounted_by_us_; }

  // What the engine proposes; what this host cannot is explained. Where the state cannot be read for lack of
  // rights, what is compared with is the host alone, and the plan's notes say so.
  Proposal propose(const PolicySource& source);

 private:
  Proposal propose(const PolicySource& source, const State& remembered);
  static bool mount_resctrl(FileSystem& files, bool cdp);

  std::unique_ptr<FileSystem> files_;
  bool automatic_;
  bool mounted_by_us_;
  std::string as_opened_;
  std::unique_ptr<UnitManager> units_;
  Machine machine_;
  Store store_;
  Engine engine_;
};

// Whether an l3 of the policy has code and data apart.
bool wants_cdp(const Policy& policy);

}  // namespace bulkhead

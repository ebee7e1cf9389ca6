// SPDX-License-Identifier: Apache-2.0
// The whole way of a policy: plan, observe, diff, journal, write, read back, remember; and back again.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/cgroup_actuator.h"
#include "cgroup/service_finder.h"
#include "cgroup/units.h"
#include "controller/engine/observer.h"
#include "controller/engine/outcomes.h"
#include "controller/engine/state.h"
#include "controller/engine/step_things.h"
#include "controller/engine/store.h"
#include "controller/engine/transaction.h"
#include "controller/planner/planner.h"
#include "controller/resctrl/group_actuator.h"
#include "controller/topology/machine.h"

namespace bulkhead {

class Engine {
 public:
  static constexpr int kLockPatienceMs = 10'000;

  // `units` may be null where systemd does not run. `machine` is the live one. All must outlive the engine.
  // Without `groups` they are written through resctrl.
  Engine(FileSystem& files, UnitManager* units, Store& store, const Machine& machine,
         std::unique_ptr<GroupActuator> groups = nullptr);

  // Reads only. Throws what make_plan and diff throw, with the place in `source`.
  Proposal propose(const PolicySource& source) { return propose(source, state()); }

  // The same where the caller knows what is remembered, or that it cannot be read.
  Proposal propose(const PolicySource& source, const State& remembered);

  // What reset would do.
  Diff propose_reset();

  // Throws Error(conflict) if another program holds a lock for too long, or the generation is another than
  // expected; whatever else is thrown, the host is as before, or the error says that it is not and why.
  Outcome apply(const PolicySource& source, const Progress& progress = {}, IfGeneration expected = {});

  // What stood before the first apply stands again. Without anything to undo it does nothing.
  Outcome reset(const Progress& progress = {}, IfGeneration expected = {});

  // The policy in force again, where the host differs from it: the generation stays. What is `held`
  // stays as it is. Throws Error(not_found) if there is none.
  Outcome repair(Repair what, const Things& held = {});

  // Gives processes to a service that selects by pids, or takes them from it again. Throws Error(not_found)
  // for a service or process that is not there, Error(infeasible) for a service that selects otherwise.
  Outcome attach(const std::string& service, const std::vector<unsigned>& pids, IfGeneration expected = {});
  Outcome detach(const std::string& service, const std::vector<unsigned>& pids, IfGeneration expected = {});

  // Those of them that have not ended.
  Attached living(Attached attached);

  // Of the policy in force. Throws Error(not_found) if there is none.
  Verification verify();

  // Finishes the undo of a transaction that was interrupted, if there is one. apply and reset do it, too.
  // Throws Error(conflict) where somebody is at work for longer than `patience_ms`.
  std::optional<Recovery> recover(int patience_ms = kLockPatienceMs);

  // Groups and cgroups that carry our name although no policy is remembered: the state was lost. Empty while
  // one is in force.
  std::vector<std::string> leftovers();

  State state() const;
  // Told each step of all changes for which the caller passes no progress.
  void on_step(Progress progress) { on_step_ = std::move(progress); }
  // Generations go on from there, for those who remember longer than the runtime directory lives.
  void continue_from(std::uint64_t generation) { last_generation_ = std::max(last_generation_, generation); }
  GroupActuator& groups() { return *groups_; }
  const Hierarchy& hierarchy() const { return cgroups_.hierarchy(); }
  // Bytes a second that one CCD can get, which no kernel file says; 0: as remembered from the last apply.
  void set_ccd_bandwidth(std::uint64_t bytes_per_second) { ccd_bandwidth_ = bytes_per_second; }

 private:
  struct Locks;
  std::unique_ptr<Locks> lock(int patience_ms = kLockPatienceMs);
  std::optional<Recovery> recover_locked();
  Proposal propose(const Policy& policy, const State& state);
  Proposal propose_kept(const Policy& policy, const State& state);
  void look_for(const Policy& policy, const State& state, Proposal& proposal);
  void plan_into(Proposal& proposal, const Policy& policy, const State& state, Contested contested);
  Policy policy_of(const State& state);
  using Processes = std::map<unsigned, std::uint64_t>;  // when each was started
  // Of those of a service that live; and all that are remembered, the dead among them.
  using ChangeOfAttached = std::function<void(Processes& attached, const Processes& remembered)>;
  Outcome change_attached(const std::string& service, IfGeneration expected, const ChangeOfAttached& change);
  std::vector<Step> release(const std::vector<unsigned>& pids, const Proposal& proposal,
                            const Baseline& baseline);
  Outcome put_in_force(State wanted, const State& before, Repair what, const Progress& progress,
                       const std::vector<unsigned>& released = {}, const Things& held = {});
  std::vector<Step> run(const std::string& action, const Proposal& proposal,
                        const std::vector<Service>& services, Transaction& transaction, const std::string& id,
                        const Things& held = {});
  void complete(Transaction& transaction, const State& before, const State& state);
  void converge_threads(const Proposal& proposal, const std::vector<Service>& services,
                        Transaction& transaction, const Things& held);
  Proposal propose_nothing(const State& state);
  Capabilities capabilities(const State& state, const std::vector<ObservedGroup>& groups);

  Store& store_;
  const Machine& machine_;
  std::unique_ptr<GroupActuator> groups_;
  CgroupActuator cgroups_;
  ServiceFinder finder_;
  Observer observer_;
  std::uint64_t ccd_bandwidth_ = 0;
  std::uint64_t last_generation_ = 0;
  Progress on_step_;
};

}  // namespace bulkhead

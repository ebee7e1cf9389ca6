// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/engine.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>
#include <unistd.h>

#include "controller/base/utc.h"
#include "controller/engine/engine_locks.h"
#include "controller/engine/leftovers.h"
#include "controller/engine/overlaps.h"
#include "controller/engine/requirements.h"
#include "controller/engine/thread_steps.h"
#include "controller/resctrl/group_path.h"
#include "controller/resctrl/resctrl_actuator.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

constexpr int kRepairPatienceMs =
    200;  // who holds the lock for longer changes the host: repaired is what comes then

std::string new_transaction_id() {
  const auto ticks = std::chrono::system_clock::now().time_since_epoch().count();
  return std::to_string(ticks) + '-' + std::to_string(::getpid());
}

void append(std::vector<std::string>& notes, std::vector<std::string>&& more) {
  std::move(more.begin(), more.end(), std::back_inserter(notes));
}

bool belongs_to(Repair what, StepKind kind) {
  if (what == Repair::everything) return true;
  if (what == Repair::groups) return is_resctrl(kind);
  if (what == Repair::cpusets) return !is_resctrl(kind);
  return kind == StepKind::move_tasks || (what == Repair::services && !is_resctrl(kind));
}

// Groups that are missing are made.
bool makes_groups(Repair what) {
  return what == Repair::everything || what == Repair::groups;
}

// A group that is missing is not made along with its threads: that is for a repair of everything.
bool lacks_group(const Step& step, const Observed& now) {
  if (step.kind != StepKind::move_tasks || step.target.empty()) return false;
  const ObservedGroup* group = now.find_group(control_group_of(step.target));
  if (group == nullptr || !is_monitoring_path(step.target)) return group == nullptr;
  return std::none_of(group->monitoring.begin(), group->monitoring.end(),
                      [&](const auto& part) { return step.target.ends_with('/' + part.name); });
}

std::vector<std::string> names_of(const std::vector<CpusetTarget>& targets) {
  std::vector<std::string> names;
  for (const CpusetTarget& target : targets) {
    if (!target.path.empty()) names.push_back(target.path);
    if (!target.unit.empty()) names.push_back(target.unit);
  }
  return names;
}

bool can_be_planned(const Policy& policy, const Machine& machine, const Capabilities& capabilities,
                    const Tenants& tenants) {
  try {
    make_plan(policy, machine, capabilities, tenants);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::infeasible && error.code() != ErrorCode::conflict) throw;
    return false;
  }
}

Schemata default_group_of(const Plan& plan) {
  const ControlGroup* group = plan.find_group("");
  return group == nullptr ? Schemata{} : group->schemata;
}

}  // namespace

Engine::Engine(FileSystem& files, UnitManager* units, Store& store, const Machine& machine,
               std::unique_ptr<GroupActuator> groups)
    : store_(store),
      machine_(machine),
      groups_(groups ? std::move(groups) : std::make_unique<ResctrlActuator>(files)),
      cgroups_(files, units),
      finder_(files, cgroups_.hierarchy(), units),
      observer_(*groups_, cgroups_, finder_, units != nullptr) {}

Capabilities Engine::capabilities(const State& state, const std::vector<ObservedGroup>& groups) {
  Capabilities found = groups_->capabilities(machine_.vendor, groups);
  // Once every group is capped, the largest value is no longer to be seen.
  if (found.memory)
    found.memory->unlimited = std::max(found.memory->unlimited, state.baseline.memory_unlimited);
  if (found.slow) found.slow->unlimited = std::max(found.slow->unlimited, state.baseline.slow_unlimited);
  found.ccd_bandwidth = ccd_bandwidth_ != 0 ? ccd_bandwidth_ : state.ccd_bandwidth;
  return found;
}

Proposal Engine::propose(const PolicySource& source, const State& remembered) {
  State wanted = remembered;
  wanted.policy_text = source.text;
  wanted.policy_file = source.file;
  return propose(policy_of(wanted), wanted);
}

Proposal Engine::propose(const Policy& policy, const State& state) {
  Proposal proposal;
  look_for(policy, state, proposal);
  plan_into(proposal, policy, state, Contested::refuse);
  return proposal;
}

// Of what is in force: the same, and where others claim a part of it, all but that part.
Proposal Engine::propose_kept(const Policy& policy, const State& state) {
  Proposal proposal;
  look_for(policy, state, proposal);
  try {
    plan_into(proposal, policy, state, Contested::refuse);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::infeasible && error.code() != ErrorCode::conflict) throw;
    std::vector<Error> objections{error};
    const auto add = [&](const Error& more) {
      if (std::none_of(objections.begin(), objections.end(),
                       [&](const Error& known) { return known.detail().message == more.detail().message; }))
        objections.push_back(more);
    };
    for (const Error& more : leave_contested(policy.services, proposal.now)) add(more);
    plan_into(proposal, policy, state, Contested::leave);
    for (const Error& more : proposal.diff.objections) add(more);
    proposal.objections = std::move(objections);
  }
  return proposal;
}

void Engine::look_for(const Policy& policy, const State& state, Proposal& proposal) {
  proposal.actuator = groups_->name();
  groups_->adopt(state.classes);
  proposal.now = observer_.observe(policy.services, state.baseline);
  proposal.capabilities = capabilities(state, proposal.now.groups);
  proposal.now.closids = proposal.capabilities.closids();
  proposal.now.online_cpus = machine_.cpus;
}

void Engine::plan_into(Proposal& proposal, const Policy& policy, const State& state, Contested contested) {
  try {
    Tenants tenants = Observer::tenants(proposal.now, state.baseline);
    if (contested == Contested::leave) {
      tenants = undisputed(tenants, proposal.now, [&](const Tenants& some) {
        return can_be_planned(policy, machine_, proposal.capabilities, some);
      });
    } else {
      refuse_overlaps(policy, proposal.now);
    }
    proposal.plan = make_plan(policy, machine_, proposal.capabilities, tenants);
    groups_->require_expressible(proposal.plan, proposal.now);
    proposal.diff = diff(proposal.plan, proposal.now, state.baseline, contested);
  } catch (Error& error) {
    // Inner code knows the place, this knows the file.
    const ErrorDetail& detail = error.detail();
    if (detail.line != 0 && detail.file.empty()) {
      error.set_place(state.policy_file, detail.line, detail.column, detail.pointer);
    }
    throw;
  }
  groups_->number(proposal.diff.steps);
}

State Engine::state() const {
  State state = read_state(store_);
  state.generation = std::max(state.generation, last_generation_);
  return state;
}

// As it was written, with the processes that were attached and still live.
Policy Engine::policy_of(const State& state) {
  Policy policy = require_policy(state.policy_text, state.policy_file);
  const Attached attached = living(state.attached);
  for (Service& service : policy.services) {
    const auto its = attached.find(service.name);
    if (its == attached.end() || service.select.kind != SelectKind::pids) continue;
    for (const auto& [pid, started] : its->second) service.select.pids.push_back(pid);
  }
  return policy;
}

Outcome Engine::put_in_force(State wanted, const State& before, Repair what, const Progress& progress,
                             const std::vector<unsigned>& released, const Things& held) {
  const Policy policy = policy_of(wanted);
  const bool kept = wanted.generation == before.generation;  // nobody asks for anything new
  Proposal proposal = kept ? propose_kept(policy, wanted) : propose(policy, wanted);
  std::erase_if(proposal.diff.steps, [&](const Step& step) {
    return !belongs_to(what, step.kind) || (!makes_groups(what) && lacks_group(step, proposal.now));
  });
  hold_back(proposal.diff.steps, held);
  for (Step& step : release(released, proposal, before.baseline)) {
    proposal.diff.steps.push_back(std::move(step));
  }
  Outcome outcome{.policy = policy.name, .waiting = proposal.diff.waiting, .generation = before.generation};
  wanted.baseline_lost = before.baseline_lost || has_lost_baseline(before, proposal.now);
  wanted.transaction = new_transaction_id();
  Journal journal(store_);
  Transaction transaction(journal, {*groups_, cgroups_, groups_->name()}, progress ? progress : on_step_);
  if (!proposal.diff.steps.empty()) {
    outcome.steps =
        run("apply of " + policy.name, proposal, policy.services, transaction, wanted.transaction, held);
  }
  if (wanted.policy_text != before.policy_text || wanted.attached != before.attached ||
      !outcome.steps.empty()) {
    const Capabilities& found = proposal.capabilities;
    wanted.ccd_bandwidth = found.ccd_bandwidth;
    wanted.actuator = proposal.actuator;
    wanted.classes = groups_->classes();
    wanted.baseline.remember(outcome.steps);
    wanted.baseline.keep_only(names_of(proposal.diff.targets), default_group_of(proposal.plan));
    if (found.memory) wanted.baseline.memory_unlimited = found.memory->unlimited;
    if (found.slow) wanted.baseline.slow_unlimited = found.slow->unlimited;
    complete(transaction, before, wanted);
    outcome.notes = transaction.commit();
    outcome.generation = wanted.generation;
  }
  if (wanted.baseline_lost && !before.baseline_lost) outcome.notes.push_back(kBaselineLost);
  append(outcome.notes, Actuators{*groups_, cgroups_}.take_notes());
  return outcome;
}

Outcome Engine::apply(const PolicySource& source, const Progress& progress, IfGeneration expected) {
  const Policy policy = require_policy(source.text, source.file);
  const std::unique_ptr<Locks> locks = lock();
  recover_locked();
  const State before = state();
  require_generation(before, expected);
  State wanted = before;
  ++wanted.generation;
  wanted.policy_text = source.text;
  wanted.policy_file = source.file;
  wanted.applied_at = utc_text(std::chrono::system_clock::now());
  std::erase_if(wanted.attached, [&](const auto& entry) { return !takes_processes(policy, entry.first); });
  return put_in_force(std::move(wanted), before, Repair::everything, progress);
}

Outcome Engine::repair(Repair what, const Things& held) {
  const std::unique_ptr<Locks> locks = lock(kRepairPatienceMs);
  recover_locked();
  const State before = state();
  require_in_force(before);
  return put_in_force(before, before, what, {}, {}, held);
}

// The empty plan: no group of ours, no cpuset, and the baseline's values wherever something was changed.
Proposal Engine::propose_nothing(const State& state) {
  Proposal proposal{.actuator = std::string(groups_->name())};
  groups_->adopt(state.classes);
  proposal.now = observer_.observe({}, state.baseline);
  proposal.now.online_cpus = machine_.cpus;
  proposal.diff = diff(proposal.plan, proposal.now, state.baseline);
  groups_->number(proposal.diff.steps);
  return proposal;
}

Diff Engine::propose_reset() {
  return propose_nothing(state()).diff;
}

Outcome Engine::reset(const Progress& progress, IfGeneration expected) {
  const std::unique_ptr<Locks> locks = lock();
  recover_locked();
  const State state = this->state();
  require_generation(state, expected);
  const Proposal proposal = propose_nothing(state);
  Outcome outcome{.generation = state.generation};
  if (proposal.diff.steps.empty() && state.transaction.empty()) return outcome;
  ++outcome.generation;
  Journal journal(store_);
  Transaction transaction(journal, {*groups_, cgroups_, groups_->name()}, progress ? progress : on_step_);
  const std::string id = new_transaction_id();
  if (!proposal.diff.steps.empty()) outcome.steps = run("reset", proposal, {}, transaction, id);
  complete(transaction, state, {.transaction = id, .generation = outcome.generation});
  outcome.notes = transaction.commit();
  continue_from(outcome.generation);  // the file that has it may go
  if (outcome.notes.empty())
    remove_state(store_);  // else it tells that the journal's transaction was completed
  if (state.baseline_lost || has_lost_baseline(state, proposal.now)) outcome.notes.push_back(kBaselineLost);
  append(outcome.notes, Actuators{*groups_, cgroups_}.take_notes());
  return outcome;
}

}  // namespace bulkhead

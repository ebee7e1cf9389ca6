// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/engine.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <unistd.h>

#include "controller/engine/overlaps.h"
#include "controller/engine/read_back.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

constexpr int kThreadPasses = 20;  // threads inherit their maker's group, so that two usually do

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string new_transaction_id() {
  const auto ticks = std::chrono::system_clock::now().time_since_epoch().count();
  return std::to_string(ticks) + '-' + std::to_string(::getpid());
}

// Inner code knows the place, this knows the file.
template <class Act>
auto in_file(const std::string& file, Act&& act) -> decltype(act()) {
  try {
    return act();
  } catch (Error& error) {
    const ErrorDetail& detail = error.detail();
    if (detail.line != 0 && detail.file.empty()) {
      error.set_place(file, detail.line, detail.column, detail.pointer);
    }
    throw;
  }
}

void append(std::vector<std::string>& notes, const std::vector<std::string>& more) {
  notes.insert(notes.end(), more.begin(), more.end());
}

std::vector<std::string> names_of(const std::vector<CpusetTarget>& targets) {
  std::vector<std::string> names;
  for (const CpusetTarget& target : targets) {
    names.push_back(target.path);
    if (!target.unit.empty()) names.push_back(target.unit);
  }
  return names;
}

// Whether any thread belongs, or belonged, anywhere but in the default group.
bool moves_threads(const Proposal& proposal) {
  if (!proposal.now.group_threads.empty()) return true;
  return std::any_of(
      proposal.now.services.begin(), proposal.now.services.end(),
      [&](const ObservedService& service) { return !group_path_of(proposal.plan, service.service).empty(); });
}

// The groups that are there after the steps; the ones removed answer that they hold no threads.
void expect_planned_groups(Observed& now, const Plan& plan) {
  for (const ControlGroup& group : plan.groups) {
    ObservedGroup expected{.name = group.name};
    for (const MonitoringGroup& monitoring : group.monitoring)
      expected.monitoring.push_back({monitoring.name, {}});
    now.groups.push_back(std::move(expected));
  }
}

Schemata default_group_of(const Plan& plan) {
  const ControlGroup* group = plan.find_group("");
  return group == nullptr ? Schemata{} : group->schemata;
}

}  // namespace

// The locks of a transaction: on our own directory, and the one that programs which change resctrl agree on.
struct Engine::Locks {
  UniqueFd store;
  std::unique_ptr<FileLock> resctrl;
};

Engine::Engine(FileSystem& files, UnitManager* units, Store& store, const Machine& machine)
    : store_(store),
      machine_(machine),
      resctrl_(files),
      cgroups_(files, units),
      finder_(files, cgroups_.hierarchy(), units),
      observer_(resctrl_, cgroups_, finder_, units != nullptr) {}

std::unique_ptr<Engine::Locks> Engine::lock(int patience_ms) {
  auto locks = std::make_unique<Locks>();
  locks->store = store_.lock(patience_ms);
  if (resctrl_.mounted()) locks->resctrl = resctrl_.lock(patience_ms);
  return locks;
}

Capabilities Engine::capabilities(const State& state, const std::vector<ObservedGroup>& groups) {
  Capabilities found = resctrl_.capabilities(machine_.vendor, groups);
  // Once every group is capped, the largest value is no longer to be seen.
  if (found.memory)
    found.memory->unlimited = std::max(found.memory->unlimited, state.baseline.memory_unlimited);
  if (found.slow) found.slow->unlimited = std::max(found.slow->unlimited, state.baseline.slow_unlimited);
  found.ccd_bandwidth = ccd_bandwidth_ != 0 ? ccd_bandwidth_ : state.ccd_bandwidth;
  return found;
}

Proposal Engine::propose(const PolicySource& source, const State& remembered) {
  const Policy policy = require_policy(source.text, source.file);
  return in_file(source.file, [&] { return propose(policy, remembered); });
}

Proposal Engine::propose(const Policy& policy, const State& state) {
  Proposal proposal;
  proposal.now = observer_.observe(policy.services, state.baseline);
  proposal.capabilities = capabilities(state, proposal.now.groups);
  refuse_overlaps(policy, proposal.now);
  proposal.now.closids = proposal.capabilities.closids();
  proposal.now.online_cpus = machine_.cpus;
  proposal.plan = make_plan(policy, machine_, proposal.capabilities, Observer::tenants(proposal.now, state.baseline));
  proposal.diff = diff(proposal.plan, proposal.now, state.baseline);
  return proposal;
}

Outcome Engine::apply(const PolicySource& source, const Progress& progress) {
  const Policy policy = require_policy(source.text, source.file);
  const std::unique_ptr<Locks> locks = lock();
  recover_locked();
  const State before = read_state(store_);
  State state = before;
  const Proposal proposal = in_file(source.file, [&] { return propose(policy, state); });
  Outcome outcome{.policy = policy.name, .waiting = proposal.diff.waiting};
  const bool new_policy = state.policy_text != source.text;
  const std::string id = new_transaction_id();
  Journal journal(store_);
  Transaction transaction(journal, {resctrl_, cgroups_}, progress);
  if (!proposal.diff.steps.empty()) {
    outcome.steps = run("apply of " + policy.name, proposal, policy.services, transaction, id);
  }
  if (new_policy || !outcome.steps.empty()) {
    const Capabilities& found = proposal.capabilities;
    state.transaction = id;
    ++state.generation;
    state.policy_text = source.text;
    state.policy_file = source.file;
    state.applied_at = utc_now();
    state.ccd_bandwidth = found.ccd_bandwidth;
    state.baseline.remember(outcome.steps);
    state.baseline.keep_only(names_of(proposal.diff.targets), default_group_of(proposal.plan));
    if (found.memory) state.baseline.memory_unlimited = found.memory->unlimited;
    if (found.slow) state.baseline.slow_unlimited = found.slow->unlimited;
    complete(transaction, before, state);
    outcome.notes = transaction.commit();
  }
  outcome.generation = state.generation;
  append(outcome.notes, cgroups_.notes());
  return outcome;
}

// The moment at which a transaction is complete is when its state is in place; where that fails, all is
// undone.
void Engine::complete(Transaction& transaction, const State& before, const State& state) {
  transaction.guard("remembering what is in force", [&] {
    try {
      write_state(store_, state);
    } catch (const Error&) {
      // It may be in place all the same, not synced: then it would speak of what is being undone.
      if (read_state(store_).transaction == state.transaction) {
        before.transaction.empty() ? remove_state(store_) : write_state(store_, before);
      }
      throw;
    }
  });
}

// The empty plan: no group of ours, no cpuset, and the baseline's values wherever something was changed.
Proposal Engine::propose_nothing(const State& state) {
  Proposal proposal;
  proposal.now = observer_.observe({}, state.baseline);
  proposal.now.online_cpus = machine_.cpus;
  proposal.diff = diff(proposal.plan, proposal.now, state.baseline);
  return proposal;
}

Diff Engine::propose_reset() {
  return propose_nothing(read_state(store_)).diff;
}

Outcome Engine::reset(const Progress& progress) {
  const std::unique_ptr<Locks> locks = lock();
  recover_locked();
  const State state = read_state(store_);
  const Proposal proposal = propose_nothing(state);
  Outcome outcome;
  if (proposal.diff.steps.empty() && state.transaction.empty()) return outcome;
  Journal journal(store_);
  Transaction transaction(journal, {resctrl_, cgroups_}, progress);
  const std::string id = new_transaction_id();
  if (!proposal.diff.steps.empty()) outcome.steps = run("reset", proposal, {}, transaction, id);
  complete(transaction, state, {.transaction = id, .generation = state.generation + 1});
  outcome.notes = transaction.commit();
  if (outcome.notes.empty())
    remove_state(store_);  // else it tells that the journal's transaction was completed
  append(outcome.notes, cgroups_.notes());
  return outcome;
}

std::vector<Step> Engine::run(const std::string& action, const Proposal& proposal,
                              const std::vector<Service>& services, Transaction& transaction,
                              const std::string& id) {
  transaction.run(id, action, proposal.diff.steps);
  transaction.guard("moving threads", [&] { converge_threads(proposal, services, transaction); });
  transaction.guard("reading back", [&] {
    const Written written = written_by(transaction.steps(), proposal.now);
    const auto groups =
        written.groups.empty() ? std::vector<ObservedGroup>{} : resctrl_.observe(written.groups);
    const auto cpusets =
        written.cgroups.empty() ? std::vector<ObservedCpuset>{} : cgroups_.observe(written.cgroups);
    const auto mismatch =
        find_mismatch(transaction.steps(), groups, cpusets, proposal.diff.targets, machine_.cpus);
    if (mismatch) throw Error(ErrorCode::refused, *mismatch);
  });
  return transaction.steps();
}

// Threads that were made while the first were moved: until a pass finds nothing new.
void Engine::converge_threads(const Proposal& proposal, const std::vector<Service>& services,
                              Transaction& transaction) {
  if (!proposal.now.resctrl || !moves_threads(proposal)) return;
  Observed now = proposal.now;
  expect_planned_groups(now, proposal.plan);
  for (int pass = 0; pass < kThreadPasses; ++pass) {
    observer_.refresh_threads(now, services);
    const std::vector<Step> missing = diff_threads(proposal.plan, now);
    if (missing.empty()) return;
    transaction.run_more(missing);
  }
  throw Error(ErrorCode::conflict, "threads keep appearing outside of their group after " +
                                       std::to_string(kThreadPasses) +
                                       " passes: something moves them out again");
}

std::optional<Recovery> Engine::recover(int patience_ms) {
  if (!store_.read("journal")) return std::nullopt;
  const std::unique_ptr<Locks> locks = lock(patience_ms);
  return recover_locked();
}

std::optional<Recovery> Engine::recover_locked() {
  Journal journal(store_);
  const std::optional<JournalContent> content = journal.read();
  if (!content) return std::nullopt;
  if (read_state(store_).transaction == content->transaction) {
    journal.end();  // it had been completed; only the journal's removal was not reached
    return std::nullopt;
  }
  const std::vector<UndoFailure> failures = undo_steps(content->steps, {resctrl_, cgroups_});
  if (!failures.empty()) {
    Error error(ErrorCode::refused, "cannot undo " + describe(failures.front().step) +
                                        " of the interrupted " + content->action + ": " +
                                        failures.front().reason);
    throw error.add_context("recovering; the journal is kept");
  }
  journal.end();
  return Recovery{.action = content->action, .steps = content->steps.size(), .notes = cgroups_.notes()};
}

}  // namespace bulkhead

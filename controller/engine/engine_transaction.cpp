// SPDX-License-Identifier: Apache-2.0
// How the engine makes steps one: locks, journal, threads that keep coming, reading back, undo after a crash.
#include <algorithm>

#include "controller/engine/engine.h"
#include "controller/engine/engine_locks.h"
#include "controller/engine/read_back.h"
#include "controller/engine/thread_steps.h"

namespace bulkhead {
namespace {

constexpr int kThreadPasses = 20;  // threads inherit their maker's group, so that two usually do

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

}  // namespace

std::unique_ptr<Engine::Locks> Engine::lock(int patience_ms) {
  auto locks = std::make_unique<Locks>();
  locks->store = store_.lock(patience_ms);
  if (groups_->usable()) locks->resctrl = groups_->lock(patience_ms);
  return locks;
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

std::vector<Step> Engine::run(const std::string& action, const Proposal& proposal,
                              const std::vector<Service>& services, Transaction& transaction,
                              const std::string& id, const Things& held) {
  transaction.run(id, action, proposal.diff.steps);
  transaction.guard("moving threads", [&] { converge_threads(proposal, services, transaction, held); });
  groups_->settle();
  cgroups_.settle();
  transaction.guard("reading back", [&] {
    const Written written = written_by(transaction.steps(), proposal.now);
    const auto groups =
        written.groups.empty() ? std::vector<ObservedGroup>{} : groups_->observe(written.groups);
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
                              Transaction& transaction, const Things& held) {
  if (!proposal.now.resctrl || !moves_threads(proposal)) return;
  Observed now = proposal.now;
  expect_planned_groups(now, proposal.plan);
  for (int pass = 0; pass < kThreadPasses; ++pass) {
    observer_.refresh_threads(now, services);
    if (!proposal.objections.empty()) leave_contested(services, now);
    std::vector<Step> missing = diff_threads(proposal.plan, now);
    hold_back(missing, held);
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
  const State state = read_state(store_);
  if (state.transaction == content->transaction) {
    journal.end();  // it had been completed; only the journal's removal was not reached
    return std::nullopt;
  }
  groups_->adopt(state.classes, content->steps);
  Actuators actuators{*groups_, cgroups_};
  const std::vector<UndoFailure> failures = undo_steps(content->steps, actuators);
  if (!failures.empty()) {
    Error error(ErrorCode::refused, "cannot undo " + describe(failures.front().step) +
                                        " of the interrupted " + content->action + ": " +
                                        failures.front().reason);
    throw error.add_context("recovering; the journal is kept");
  }
  journal.end();
  return Recovery{.action = content->action, .steps = content->steps.size(), .notes = actuators.take_notes()};
}

}  // namespace bulkhead

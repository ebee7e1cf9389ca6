// SPDX-License-Identifier: Apache-2.0
// What the API asks of the keeper.
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "controller/daemon/keeper.h"
#include "controller/engine/counters_document.h"
#include "controller/engine/documents.h"
#include "controller/experiment/experiment_record.h"
#include "controller/monitor/perf_json.h"
#include "controller/topology/machine_file.h"

namespace bulkhead {
namespace {

constexpr std::chrono::milliseconds kBetweenSettlingLooks{100};

}  // namespace

// A change of what is in force: it is known, remembered, noted and told at once, before the next look.
Outcome Keeper::carry_out(const std::string& action, const Actor& by, const std::function<Outcome()>& act) {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t from = known_.generation;
  Outcome outcome = act();
  metrics_.applies.take(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  note_in_audit({.action = action,
                 .by = by,
                 .policy = outcome.policy,
                 .from = from,
                 .to = outcome.generation,
                 .steps = outcome.steps.size(),
                 .refused = {}});
  reconciler_.forget();
  behaviour_->forget();
  found_.reset();
  if (!is_held_by_experiment()) give_up_pending();  // else it has its turn when that has ended
  pending_again_.reset();
  host_->engine().continue_from(outcome.generation);  // a reset leaves no state that would tell it
  known_ = host_->engine().state();
  remember_active(known_);
  const std::string& forgets = troubles_.reason(Trouble::memory);
  if (!forgets.empty()) outcome.notes.push_back(forgets);
  status_.clear();  // who wants to know how it fares looks
  publish();
  return outcome;
}

void Keeper::note_in_audit(const AuditEntry& entry) {
  audit_.write(entry);
  troubles_.note(Trouble::audit, audit_.trouble());
}

void Keeper::note_unchanged(const std::string& action, const std::string& name, const Actor& by,
                            const std::string& refused) {
  note_in_audit({.action = action,
                 .by = by,
                 .policy = name,
                 .from = known_.generation,
                 .to = known_.generation,
                 .steps = 0,
                 .refused = refused});
}

// An experiment that was killed has the host, too, until what was in force before it is in force again.
Outcome Keeper::change(const std::string& action, const Actor& by, const std::function<Outcome()>& act,
                       const std::string& policy) {
  const auto unless_held = [&] {
    ExperimentRecord::require_none(host_->store());
    return act();
  };
  return change_for_experiment(action, by, unless_held, policy);
}

// Noted whatever comes of it.
Outcome Keeper::change_for_experiment(const std::string& action, const Actor& by,
                                      const std::function<Outcome()>& act, const std::string& policy) {
  try {
    notice_host();
    return carry_out(action, by, act);
  } catch (const Error& error) {
    note_unchanged(action, policy, by, error.what());
    throw;
  }
}

Keeper::Json Keeper::plan(const PolicySource& source) {
  notice_host();
  return proposal_json(host_->propose(source));
}

Keeper::Json Keeper::apply(const PolicySource& source, IfGeneration expected, bool dry_run, const Actor& by) {
  if (dry_run) return plan(source);
  const std::uint64_t before = known_.generation;
  Proposal proposal;
  const auto act = [&] {
    proposal = host_->propose(source);
    return host_->engine().apply(source, {}, expected);
  };
  const Outcome outcome = change("policy.apply", by, act, name_of(source.text));
  if (outcome.generation != before) tell_applied(outcome.policy, outcome.generation, source.file);
  return applied_json(outcome, &proposal);
}

Keeper::Json Keeper::reset(IfGeneration expected, const Actor& by) {
  const Outcome outcome = change("policy.reset", by, [&] { return host_->engine().reset({}, expected); });
  listener_.tell(EventKind::policy_reset, {{"generation", outcome.generation}});
  return reset_json(outcome);
}

Keeper::Json Keeper::attach(const std::string& service, const std::vector<unsigned>& pids,
                            IfGeneration expected, const Actor& by) {
  const std::uint64_t before = known_.generation;
  const Outcome outcome =
      change("service.attach", by, [&] { return host_->engine().attach(service, pids, expected); });
  if (outcome.generation != before)
    listener_.tell(EventKind::service_attached, {{"service", service}, {"pids", pids}});
  return applied_json(outcome, nullptr);
}

Keeper::Json Keeper::detach(const std::string& service, const std::vector<unsigned>& pids,
                            IfGeneration expected, const Actor& by) {
  const std::uint64_t before = known_.generation;
  const Outcome outcome =
      change("service.detach", by, [&] { return host_->engine().detach(service, pids, expected); });
  if (outcome.generation != before)
    listener_.tell(EventKind::service_detached, {{"service", service}, {"pids", pids}});
  return applied_json(outcome, nullptr);
}

// What a request finds is told and mended as if a look had found it: one follows.
void Keeper::compare_with_last_look(const Verification& found) {
  const auto is_known = [&](const Finding& finding) {
    return found_ && std::any_of(found_->findings.begin(), found_->findings.end(),
                                 [&](const Finding& known) { return known.message == finding.message; });
  };
  wants_look_ = wants_look_ || !std::all_of(found.findings.begin(), found.findings.end(), is_known);
}

// What a hotplug has changed is being mended: who asks in the midst of it is answered when that is done.
Verification Keeper::verify_settled() {
  const auto until = std::chrono::steady_clock::now() + Reconciler::kHotplugSettles;
  for (;;) {
    notice_host();
    Verification found = host_->engine().verify();
    const auto now = std::chrono::steady_clock::now();
    if (now >= until || !reconciler_.is_settling(found, now)) {
      compare_with_last_look(found);
      return found;
    }
    wants_look_ = look().has_value();
    std::this_thread::sleep_for(kBetweenSettlingLooks);
  }
}

Keeper::Json Keeper::verify(bool behaviour) {
  const Verification found = verify_settled();
  Json result = verification_json(found);
  if (!behaviour) return result;
  std::optional<Backoff::Time> again;  // who asks looks again
  watch_behaviour(found, again);
  result["judgements"] = judgements_json(behaviour_->judgements());
  result["counts"] = behaviour_->counts();
  const std::string& lack = behaviour_->uncounted();
  result["uncounted"] = lack.empty() ? Json() : Json(lack);
  return result;
}

Keeper::Json Keeper::status() {
  notice_host();
  const State state = host_->engine().state();
  if (state.policy_text.empty()) {
    Json status = no_status_json(host_->engine().leftovers());
    add_trouble(status);
    return status;
  }
  const Verification found = host_->engine().verify();
  compare_with_last_look(found);
  Json status = status_json(state, found);
  add_trouble(status);
  return status;
}

Keeper::Json Keeper::read_counters() {
  notice_host();
  if (!known_.policy_text.empty() && !found_) {
    Verification now = host_->engine().verify();
    compare_with_last_look(now);
    found_ = std::move(now);
  }
  const Verification* found = found_ ? &*found_ : nullptr;
  Json document =
      counters_document(behaviour_->read_counters(found), found, std::chrono::system_clock::now(),
                        behaviour_->uncounted());
  document["perf"] = perf_json(behaviour_->perf().read(found, std::chrono::steady_clock::now()));
  return document;
}

Keeper::Json Keeper::describe() {
  notice_host();
  const Capabilities capabilities =
      read_capabilities(host_->files(), host_->presence(), host_->machine().vendor);
  Json document{{"version", BULKHEAD_VERSION}, {"actuator", host_->engine().groups().name()}};
  const std::string& lack = host_->presence().explanation;
  document["resctrl"] = {{"usable", lack.empty()}, {"explanation", lack.empty() ? Json() : Json(lack)}};
  document["machine"] = Json::parse(write_machine_file({host_->machine(), capabilities}));
  return document;
}

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// One look of the keeper at its host, and what follows from it.
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "cgroup/process_table.h"
#include "controller/api/error_json.h"
#include "controller/base/text.h"
#include "controller/daemon/keeper.h"
#include "controller/engine/documents.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kSoon{1};    // somebody else is at work
constexpr std::chrono::seconds kLater{10};  // something failed

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool changes_masks(const std::vector<Step>& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const Step& step) {
    return step.kind == StepKind::write_schemata || step.kind == StepKind::make_group;
  });
}

double epoch_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

std::optional<Backoff::Time> Keeper::look() {
  const Clock::time_point start = Clock::now();
  std::optional<Backoff::Time> again;
  try {
    look_at_host(again);
    troubles_.over(Trouble::look);
    metrics_.look_failing = false;
    metrics_.last_look = epoch_seconds();
  } catch (const Error& error) {
    again = note_trouble(error);
  } catch (const std::exception& error) {
    again = note_trouble(Error(ErrorCode::internal, error.what()));
  }
  ++metrics_.looks;
  metrics_.look_durations.take(seconds_since(start));
  publish();
  return again;
}

// What the host is like is not known then, and what was known is not told any more.
Backoff::Time Keeper::note_trouble(const Error& error) {
  const bool busy = error.code() == ErrorCode::conflict;
  ++metrics_.look_failures;
  metrics_.look_failing = true;
  status_.clear();
  found_.reset();
  if (!busy) close_host();
  if (troubles_.note(Trouble::look, error.what())) report(error, "");
  return Clock::now() + (busy ? kSoon : kLater);
}

void Keeper::look_at_host(std::optional<Backoff::Time>& again) {
  notice_host();
  Engine& engine = host_->engine();
  if (const auto recovery = engine.recover(0)) {
    log_line(kLogNotice, "the interrupted " + recovery->action + " was undone (" +
                             counted(recovery->steps, "step") + ')');
  }
  put_pending_in_force();
  const State state = engine.state();
  notice_others(state);
  if (!pending_) remember_active(state);
  if (state.policy_text.empty()) {
    know_nothing(state);
  } else {
    Look look = reconciler_.look(engine, Clock::now(), [this] { return !host_has_changed(); });
    again = look.again;
    tell(look);
    if (changes_masks(look.repaired) || changes_masks(look.followed)) behaviour_->masks_changed();
    know(engine.state(), look.found);
    watch_behaviour(look.found, again);
    found_ = std::move(look.found);
  }
  if (pending_again_) again = again ? std::min(*again, *pending_again_) : pending_again_;
}

void Keeper::notice_host() {
  if (!host_has_changed()) return;
  open_host();
  pending_again_.reset();  // what it could not do it may be able to do now
  const std::string before = std::exchange(cpus_, host_->machine().cpus.to_list());
  if (before == cpus_) return;
  reconciler_.host_changed(Clock::now());
  listener_.tell(EventKind::host_changed, {{"before", before}, {"after", cpus_}});
}

// Where that fails, what is in force is kept all the same.
void Keeper::put_pending_in_force() {
  if (!pending_ || is_held_by_experiment() || (pending_again_ && Clock::now() < *pending_again_)) return;
  const PolicySource source = *pending_;
  try {
    const Outcome outcome = carry_out("policy.restore", {}, [&] { return host_->engine().apply(source); });
    tell_applied(outcome.policy, outcome.generation, source.file);
  } catch (const Error& error) {
    pending_again_ = Clock::now() + (error.code() == ErrorCode::conflict ? kSoon : kLater);
    const std::string about = source.file + " stays out of force: ";
    if (!troubles_.note(Trouble::restore, about + error.what())) return;
    note_unchanged("policy.restore", name_of(source.text), {}, error.what());
    report(error, about);
  }
}

// bulkhead(1) has changed what is in force without us.
void Keeper::notice_others(const State& state) {
  if (state.transaction == known_.transaction) return;
  const bool none = state.policy_text.empty();
  if (state.generation == known_.generation && none == known_.policy_text.empty()) return;
  reconciler_.forget();
  if (none) return listener_.tell(EventKind::policy_reset, {{"generation", state.generation}});
  tell_applied(require_policy(state.policy_text, state.policy_file).name, state.generation,
               state.policy_file);
}

void Keeper::tell_applied(const std::string& policy, std::uint64_t generation, const std::string& file) {
  listener_.tell(EventKind::policy_applied, {{"policy", policy}, {"generation", generation}, {"file", file}});
}

void Keeper::tell(const Look& look) {
  const auto service_events = [&](EventKind kind, const std::vector<std::string>& services) {
    for (const std::string& service : services) listener_.tell(kind, {{"service", service}});
  };
  service_events(EventKind::service_found, look.appeared);
  service_events(EventKind::service_waiting, look.vanished);
  for (const Step& step : look.followed) metrics_.followed_threads += step.tasks.size();
  if (!look.drift.empty()) {
    for (const Finding& finding : look.drift) log_line(kLogWarning, "drift: " + finding.message);
    listener_.tell(EventKind::drift_found, {{"findings", findings_json(look.drift)}});
  }
  for (const auto& [thing, wait] : look.paused) {
    log_line(kLogWarning, "drift: " + thing +
                              " differs again and again: somebody else wants it otherwise; it is mended in " +
                              std::to_string(wait.count()) + " s, and then less and less often");
  }
  if (!look.repaired.empty()) {
    ++metrics_.repairs;
    listener_.tell(EventKind::drift_repaired, {{"steps", steps_json(look.repaired)}});
    AuditEntry entry;
    entry.action = "repair";
    entry.policy = look.found.policy;
    entry.from = entry.to = known_.generation;
    entry.steps = look.repaired.size();
    note_in_audit(entry);
  }
  if (!look.left.empty()) listener_.tell(EventKind::drift_left, {{"findings", findings_json(look.left)}});
  if (look.failure) {
    ++metrics_.repair_failures;
    log_line(kLogError, std::string("drift cannot be mended: ") + look.failure->what());
    listener_.tell(EventKind::reconcile_failed, {{"error", error_json(look.failure->detail())}});
  }
}

// What cannot be planned any more is drift enough.
void Keeper::watch_behaviour(const Verification& found, std::optional<Backoff::Time>& again) {
  if (found.plan.policy.empty()) return behaviour_->forget();
  const std::vector<BehaviourWatch::Change> changes = behaviour_->look(found, Clock::now());
  const auto tell_once = [](std::string& told, const std::string& lack, int level) {
    if (lack != told && !lack.empty()) log_line(level, lack);
    told = lack;
  };
  tell_once(uncounted_, behaviour_->uncounted(), kLogWarning);
  tell_once(perf_lack_, behaviour_->perf().lack(), kLogNotice);
  for (const BehaviourWatch::Change& change : changes) {
    if (change.now.verdict == Verdict::violated) log_line(kLogWarning, "violated: " + change.now.message);
  }
  if (!changes.empty()) listener_.tell(EventKind::behaviour_changed, {{"judgements", changes_json(changes)}});
  metrics_.behaviour.clear();
  for (const Judgement& judgement : behaviour_->judgements()) {
    ++metrics_.behaviour[{judgement.kind, std::string(to_string(judgement.verdict))}];
  }
  if (behaviour_->again()) again = again ? std::min(*again, *behaviour_->again()) : behaviour_->again();
}

bool Keeper::may_be_selected(unsigned process) {
  if (host_ == nullptr || known_.policy_text.empty()) return false;
  ProcessTable processes(host_->files());
  const auto name = processes.name(process);
  const auto program = processes.program(process);
  const Policy policy = require_policy(known_.policy_text, known_.policy_file);
  return std::any_of(policy.services.begin(), policy.services.end(), [&](const Service& service) {
    const Select& select = service.select;
    return (select.kind == SelectKind::comm && name && matches_pattern(*name, select.text)) ||
           (select.kind == SelectKind::exe && program && matches_pattern(*program, select.text));
  });
}

}  // namespace bulkhead

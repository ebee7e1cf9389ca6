// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/keeper.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "cgroup/process_table.h"
#include "controller/api/answer.h"
#include "controller/api/error_json.h"
#include "controller/base/text.h"
#include "controller/daemon/trusted_file.h"
#include "controller/daemon/watched_places.h"
#include "controller/engine/documents.h"
#include "controller/kernel/mounts.h"
#include "controller/kernel/paths.h"
#include "controller/topology/machine_file.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kSoon{1};  // somebody is at work, or something failed

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double epoch_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// What a LiveHost took in when it was opened.
std::string host_text(FileSystem& files) {
  std::string text = files.open_directory(std::string(paths::kCpu))->read("online");
  for (const Mount& mount : read_mounts(files)) {
    if (mount.type != "resctrl" && !mount.type.starts_with("cgroup")) continue;
    text += mount.type + ' ' + mount.point + ' ' + mount.options + (mount.read_only ? " ro\n" : "\n");
  }
  return text;
}

std::string boot_id(FileSystem& files) {
  const auto folder = files.open_directory_if_there(std::string(paths::kKernelRandom));
  const auto text = folder ? folder->read_if_there("boot_id") : std::nullopt;
  return text ? std::string(trim(*text)) : std::string();
}

Keeper::Json attached_json(const Attached& attached) {
  Keeper::Json services = Keeper::Json::object();
  for (const auto& [service, processes] : attached) {
    for (const auto& [pid, started] : processes) services[service].push_back(pid);
  }
  return services;
}

Keeper::Json active_json(const State& state) {
  if (state.policy_text.empty()) return {{"policy", nullptr}, {"generation", state.generation}};
  return {{"policy", require_policy(state.policy_text, state.policy_file).name},
          {"generation", state.generation},
          {"file", state.policy_file},
          {"since", state.applied_at},
          {"attached", attached_json(state.attached)},
          {"text", state.policy_text}};
}

}  // namespace

Keeper::Keeper(KeeperOptions options, KeeperListener listener)
    : options_(std::move(options)),
      listener_(std::move(listener)),
      audit_(options_.config.audit_log),
      persistent_(options_.state_directory),
      reconciler_(options_.config.on_drift) {}

Keeper::~Keeper() = default;

void Keeper::open_host() {
  host_.reset();
  host_ = std::make_unique<LiveHost>(LiveHostOptions{.runtime_dir = options_.runtime_directory,
                                                     .ccd_bandwidth = options_.config.ccd_bandwidth});
  host_->engine().continue_from(std::max(known_.generation, remembered_.generation));
  host_as_opened_ = host_text(host_->files());
}

bool Keeper::host_has_changed() {
  return host_ == nullptr || host_text(host_->files()) != host_as_opened_;
}

void Keeper::start() {
  open_host();
  boot_ = boot_id(host_->files());
  adopt();
}

// What is in force on this boot is what counts. Only where nothing is, and what is remembered is of another
// boot, it is put in force again; of this one, somebody has reset the host while no daemon ran.
void Keeper::adopt() {
  std::string set_aside;
  const auto active = read_active_policy(persistent_, set_aside);
  if (!set_aside.empty())
    log_line(kLogWarning, "what was in force cannot be read; it is now in " + set_aside);
  if (active) remembered_ = *active;
  host_->engine().continue_from(remembered_.generation);
  State state;
  try {
    state = host_->engine().state();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::refused) throw;
    Store runtime(options_.runtime_directory);
    log_line(kLogWarning, std::string(error.what()) + "; it is now in " + set_aside_state(runtime) +
                              ", and with it how the host was before the first apply");
    state = host_->engine().state();
  }
  known_ = state;
  if (state.policy_text.empty() && active && !active->policy_text.empty()) {
    const bool lost = active->boot != boot_ || !host_->engine().leftovers().empty();
    if (lost) pending_ = PolicySource{active->policy_text, active->policy_file};
  }
  if (!pending_) remember_active(state);
  apply_policy_file();
}

void Keeper::apply_policy_file() {
  if (options_.config.policy.empty()) return;
  try {
    PolicySource source{read_trusted_file(options_.config.policy), options_.config.policy};
    require_policy(source.text, source.file);
    if (source.text != known_.policy_text) pending_ = std::move(source);
  } catch (const Error& error) {
    log_line(kLogError, std::string("the policy file stays out of force: ") + error.what());
    listener_.tell(EventKind::reconcile_failed, {{"error", error_json(error.detail())}});
  }
}

void Keeper::reload(const DaemonConfig& config) {
  options_.config = config;
  audit_ = AuditLog(config.audit_log);
  reconciler_.set_on_drift(config.on_drift);
  host_.reset();  // the next look opens it with what the configuration says now
  apply_policy_file();
}

std::optional<Backoff::Time> Keeper::look() {
  const Clock::time_point start = Clock::now();
  std::optional<Backoff::Time> again;
  ++metrics_.looks;
  try {
    look_at_host(again);
    last_trouble_.clear();
  } catch (const Error& error) {
    again = Clock::now() + (error.code() == ErrorCode::conflict ? kSoon : kSoon * 10);
    if (error.code() != ErrorCode::conflict) host_.reset();
    if (last_trouble_ != error.what()) {
      last_trouble_ = error.what();
      log_line(kLogError, error.what());
      listener_.tell(EventKind::reconcile_failed, {{"error", error_json(error.detail())}});
    }
  }
  metrics_.look_durations.take(seconds_since(start));
  metrics_.last_look = epoch_seconds();
  return again;
}

void Keeper::look_at_host(std::optional<Backoff::Time>& again) {
  if (host_has_changed()) {
    const bool first = host_ == nullptr;
    const std::string before = first ? "" : host_->machine().cpus.to_list();
    open_host();
    const std::string now = host_->machine().cpus.to_list();
    if (!first && before != now)
      listener_.tell(EventKind::host_changed, {{"before", before}, {"after", now}});
  }
  Engine& engine = host_->engine();
  if (const auto recovery = engine.recover(0)) {
    log_line(kLogNotice, "the interrupted " + recovery->action + " was undone (" +
                             counted(recovery->steps, "step") + ')');
  }
  if (pending_) {
    const PolicySource source = *pending_;
    change("policy.restore", {}, [&] { return engine.apply(source); });
    pending_.reset();
    listener_.tell(EventKind::policy_applied, {{"generation", known_.generation}, {"file", source.file}});
  }
  const State state = engine.state();
  if (state.transaction != known_.transaction && state.generation != known_.generation) {
    // bulkhead(1) did it without us.
    const bool none = state.policy_text.empty();
    listener_.tell(none ? EventKind::policy_reset : EventKind::policy_applied,
                   {{"generation", state.generation}, {"file", state.policy_file}});
    reconciler_.forget();
  }
  remember_active(state);
  if (state.policy_text.empty()) {
    know(state, nullptr);
    return;
  }
  Look look = reconciler_.look(engine, Clock::now());
  again = look.again;
  tell(look);
  know(engine.state(), &look.found);
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
  if (!look.repaired.empty()) {
    ++metrics_.repairs;
    listener_.tell(EventKind::drift_repaired, {{"steps", steps_json(look.repaired)}});
    audit_.write({.action = "repair",
                  .by = {},
                  .policy = look.found.policy,
                  .from = known_.generation,
                  .to = known_.generation,
                  .steps = look.repaired.size(),
                  .refused = {}});
  }
  if (!look.left.empty()) listener_.tell(EventKind::drift_left, {{"findings", findings_json(look.left)}});
  if (look.failure) {
    ++metrics_.repair_failures;
    log_line(kLogError, std::string("drift cannot be mended: ") + look.failure->what());
    listener_.tell(EventKind::reconcile_failed, {{"error", error_json(look.failure->detail())}});
  }
}

void Keeper::remember_active(const State& state) {
  ActivePolicy active = active_policy_of(state, boot_);
  if (active == remembered_) return;
  write_active_policy(persistent_, active);
  remembered_ = std::move(active);
}

// Tells everybody what is so now.
void Keeper::know(const State& state, const Verification* found) {
  known_ = state;
  auto published = std::make_shared<Published>();
  metrics_.generation = state.generation;
  metrics_.drift.clear();
  metrics_.policy.clear();
  metrics_.waiting = 0;
  places_.clear();
  selects_programs_ = false;
  if (found != nullptr) {
    metrics_.policy = found->policy;
    metrics_.waiting = found->waiting.size();
    for (const Finding& finding : found->findings) ++metrics_.drift[finding.kind];
    const Policy policy = require_policy(state.policy_text, state.policy_file);
    const ResctrlPresence& presence = host_->presence();
    const bool mounted = presence.state == ResctrlState::mounted;
    places_ =
        watched_places(policy, found->now, mounted ? presence.mount_point : "", host_->engine().hierarchy());
    selects_programs_ = selects_programs(policy);
  }
  published->status =
      one_line(found != nullptr ? status_json(state, *found) : no_status_json(host_->engine().leftovers()));
  published->active = one_line(active_json(state));
  published->metrics = metrics_;
  listener_.publish(std::move(published));
}

void Keeper::note_change(const std::string& action, const Actor& by, std::uint64_t from,
                         const Outcome& outcome) {
  audit_.write({.action = action,
                .by = by,
                .policy = outcome.policy,
                .from = from,
                .to = outcome.generation,
                .steps = outcome.steps.size(),
                .refused = {}});
}

// A change of what is in force, noted whatever comes of it.
template <class Act>
Outcome Keeper::change(const std::string& action, const Actor& by, Act&& act) {
  if (host_has_changed()) open_host();
  const std::uint64_t from = known_.generation;
  const Clock::time_point start = Clock::now();
  try {
    const Outcome outcome = act();
    metrics_.applies.take(seconds_since(start));
    note_change(action, by, from, outcome);
    reconciler_.forget();
    known_ = host_->engine().state();
    remember_active(known_);
    return outcome;
  } catch (const Error& error) {
    audit_.write({.action = action,
                  .by = by,
                  .policy = {},
                  .from = from,
                  .to = from,
                  .steps = 0,
                  .refused = error.what()});
    throw;
  }
}

Keeper::Json Keeper::plan(const PolicySource& source) {
  if (host_has_changed()) open_host();
  return proposal_json(host_->propose(source));
}

Keeper::Json Keeper::apply(const PolicySource& source, IfGeneration expected, bool dry_run, const Actor& by) {
  if (dry_run) return plan(source);
  if (host_has_changed()) open_host();
  const Proposal proposal = host_->propose(source);
  const Outcome outcome =
      change("policy.apply", by, [&] { return host_->engine().apply(source, {}, expected); });
  pending_.reset();
  listener_.tell(EventKind::policy_applied,
                 {{"policy", outcome.policy}, {"generation", outcome.generation}, {"file", source.file}});
  return applied_json(outcome, &proposal);
}

Keeper::Json Keeper::reset(IfGeneration expected, const Actor& by) {
  const Outcome outcome = change("policy.reset", by, [&] { return host_->engine().reset({}, expected); });
  pending_.reset();
  listener_.tell(EventKind::policy_reset, {{"generation", outcome.generation}});
  return reset_json(outcome);
}

Keeper::Json Keeper::attach(const std::string& service, const std::vector<unsigned>& pids,
                            IfGeneration expected, const Actor& by) {
  const Outcome outcome =
      change("service.attach", by, [&] { return host_->engine().attach(service, pids, expected); });
  listener_.tell(EventKind::service_attached, {{"service", service}, {"pids", pids}});
  return applied_json(outcome, nullptr);
}

Keeper::Json Keeper::detach(const std::string& service, const std::vector<unsigned>& pids,
                            IfGeneration expected, const Actor& by) {
  const Outcome outcome =
      change("service.detach", by, [&] { return host_->engine().detach(service, pids, expected); });
  listener_.tell(EventKind::service_detached, {{"service", service}, {"pids", pids}});
  return applied_json(outcome, nullptr);
}

Keeper::Json Keeper::verify() {
  if (host_has_changed()) open_host();
  return verification_json(host_->engine().verify());
}

Keeper::Json Keeper::status() {
  if (host_has_changed()) open_host();
  const State state = host_->engine().state();
  if (state.policy_text.empty()) return no_status_json(host_->engine().leftovers());
  return status_json(state, host_->engine().verify());
}

Keeper::Json Keeper::describe() {
  if (host_has_changed()) open_host();
  const Capabilities capabilities =
      read_capabilities(host_->files(), host_->presence(), host_->machine().vendor);
  Json document{{"version", BULKHEAD_VERSION}, {"actuator", "resctrl"}};
  const std::string& lack = host_->presence().explanation;
  document["resctrl"] = {{"usable", lack.empty()}, {"explanation", lack.empty() ? Json() : Json(lack)}};
  document["machine"] = Json::parse(write_machine_file({host_->machine(), capabilities}));
  return document;
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

// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/keeper.h"

#include <nlohmann/json.hpp>

#include "controller/api/answer.h"
#include "controller/api/error_json.h"
#include "controller/base/text.h"
#include "controller/daemon/trusted_file.h"
#include "controller/daemon/watched_places.h"
#include "controller/engine/documents.h"
#include "controller/kernel/paths.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

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

}  // namespace

Keeper::Keeper(KeeperOptions options, KeeperListener listener)
    : options_(std::move(options)),
      listener_(std::move(listener)),
      audit_(options_.config.audit_log),
      persistent_(options_.state_directory),
      reconciler_(options_.config.on_drift) {}

Keeper::~Keeper() = default;

void Keeper::close_host() {
  behaviour_.reset();
  experiment_host_.reset();
  host_.reset();
}

void Keeper::open_host() {
  close_host();
  host_ = std::make_unique<LiveHost>(LiveHostOptions{.runtime_dir = options_.runtime_directory,
                                                     .actuator = options_.config.actuator,
                                                     .ccd_bandwidth = options_.config.ccd_bandwidth});
  host_->engine().continue_from(std::max(known_.generation, remembered_.generation));
  host_->engine().on_step([this](std::size_t, std::size_t, const Step&) { listener_.work_goes_on(); });
  behaviour_ = std::make_unique<BehaviourWatch>(*host_, !options_.config.metrics_file.empty());
}

bool Keeper::host_has_changed() {
  return host_ == nullptr || host_->has_changed();
}

void Keeper::start() {
  open_host();
  cpus_ = host_->machine().cpus.to_list();
  boot_ = boot_id(host_->files());
  adopt();
}

// What is in force on this boot is what counts. Only where nothing is, and what is remembered is of another
// boot, it is put in force again; of this one, somebody has reset the host while no daemon ran.
void Keeper::adopt() {
  const std::optional<ActivePolicy> active = recall_active();
  if (active) remembered_ = *active;
  host_->engine().continue_from(remembered_.generation);
  State state;
  try {
    state = host_->engine().state();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::refused) throw;
    Store runtime(options_.runtime_directory);
    log_line(kLogWarning, error.detail().path + " cannot be understood; it is now in " +
                              set_aside_state(runtime) +
                              ", and with it how the host was before the first apply");
    state = host_->engine().state();
  }
  known_ = state;
  const bool experiment = is_held_by_experiment();  // what it found comes back when it ends
  if (!experiment && state.policy_text.empty() && active && !active->policy_text.empty()) {
    const bool lost = active->boot != boot_ || !host_->engine().leftovers().empty();
    if (lost) want({active->policy_text, active->policy_file});
  }
  if (!pending_) remember_active(state);
  apply_policy_file();
}

std::optional<ActivePolicy> Keeper::recall_active() {
  try {
    std::string set_aside;
    auto active = read_active_policy(persistent_, set_aside);
    if (!set_aside.empty())
      log_line(kLogWarning, "what was in force cannot be read; it is now in " + set_aside);
    return active;
  } catch (const Error& error) {
    report(error, "what was in force is not known: ");
    return std::nullopt;
  }
}

void Keeper::apply_policy_file() {
  troubles_.over(Trouble::policy_file);
  if (options_.config.policy.empty()) return;
  try {
    PolicySource source{read_trusted_file(options_.config.policy), options_.config.policy};
    require_policy(source.text, source.file);
    give_up_pending();
    if (source.text != known_.policy_text) want(std::move(source));
  } catch (const Error& error) {
    constexpr const char* kAbout = "the policy file stays out of force: ";
    report(error, kAbout);
    troubles_.note(Trouble::policy_file, kAbout + std::string(error.what()));
  }
}

void Keeper::want(PolicySource source) {
  pending_ = std::move(source);
  pending_again_.reset();
  troubles_.over(Trouble::restore);
}

void Keeper::give_up_pending() {
  pending_.reset();
  troubles_.over(Trouble::restore);
}

void Keeper::report(const Error& error, const std::string& about) {
  log_line(kLogError, about + error.what());
  listener_.tell(EventKind::reconcile_failed, {{"error", error_json(error.detail())}});
}

void Keeper::reload(const DaemonConfig& config) {
  if (pending_ && pending_->file == options_.config.policy) give_up_pending();
  options_.config = config;
  audit_ = AuditLog(config.audit_log);
  reconciler_.set_on_drift(config.on_drift);
  close_host();  // the next look opens it with what the configuration says now
  apply_policy_file();
  status_.clear();  // who asks meanwhile has it looked at
  publish();
}

std::string Keeper::name_of(const std::string& policy_text) {
  const PolicyReading reading = read_policy(policy_text);
  return reading.policy ? reading.policy->name : "";
}

// A full disk must not keep us from keeping the host: it is tried again at each look.
void Keeper::remember_active(const State& state) {
  ActivePolicy active = to_be_remembered(state);
  if (active == remembered_) return troubles_.over(Trouble::memory);
  try {
    write_active_policy(persistent_, active);
    remembered_ = std::move(active);
    troubles_.over(Trouble::memory);
  } catch (const Error& error) {
    if (remembered_.policy_text == active.policy_text)
      return troubles_.over(Trouble::memory);  // it comes back
    const std::string about = remembered_.policy_text.empty()
                                  ? "what is in force would not outlive a reboot: "
                                  : name_of(remembered_.policy_text) + " would come back at a reboot: ";
    if (troubles_.note(Trouble::memory, about + error.what())) report(error, about);
  }
}

void Keeper::know_nothing(const State& state) {
  known_ = state;
  found_.reset();
  Json status = no_status_json(host_->engine().leftovers());
  add_trouble(status);
  status_ = one_line(status);
  metrics_.policy.clear();
  metrics_.drift.clear();
  metrics_.waiting = 0;
  places_.clear();
  selects_programs_ = false;
  behaviour_->forget();
  metrics_.behaviour.clear();
}

void Keeper::know(const State& state, const Verification& found) {
  known_ = state;
  known_.attached = host_->engine().living(state.attached);
  Json status = status_json(state, found);
  add_trouble(status);
  status_ = one_line(status);
  metrics_.policy = found.policy;
  metrics_.waiting = found.waiting.size();
  metrics_.drift.clear();
  for (const Finding& finding : found.findings) ++metrics_.drift[finding.kind];
  const Policy policy = require_policy(state.policy_text, state.policy_file);
  places_ = watched_places(policy, found.now, host_->mount_point(), host_->engine().hierarchy());
  selects_programs_ = selects_programs(policy);
}

// Tells everybody what is so now.
void Keeper::publish() {
  metrics_.counters = behaviour_ ? behaviour_->counters() : Snapshot{};
  metrics_.perf = behaviour_ ? behaviour_->perf().metrics() : PerfMetrics{};
  auto published = std::make_shared<Published>();
  metrics_.generation = known_.generation;
  metrics_.state_unwritten = !troubles_.reason(Trouble::memory).empty();
  published->status = status_;
  published->active = one_line(active());
  published->metrics = metrics_;
  listener_.publish(std::move(published));
}

Keeper::Json Keeper::active() const {
  if (known_.policy_text.empty()) return {{"policy", nullptr}, {"generation", known_.generation}};
  const PolicyReading reading = read_policy(known_.policy_text);
  return {{"policy", reading.policy ? reading.policy->name : known_.policy_file},
          {"generation", known_.generation},
          {"file", known_.policy_file},
          {"since", known_.applied_at},
          {"attached", attached_json(known_.attached)},
          {"text", known_.policy_text}};
}

}  // namespace bulkhead

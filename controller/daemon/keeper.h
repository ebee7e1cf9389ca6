// SPDX-License-Identifier: Apache-2.0
// Keeps one host: all that touches the kernel, one thing at a time, on the thread of who calls. It knows no
// sockets and no clocks to wait for.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "controller/api/event_kinds.h"
#include "controller/daemon/active_policy.h"
#include "controller/daemon/audit_log.h"
#include "controller/daemon/behaviour_watch.h"
#include "controller/daemon/config.h"
#include "controller/daemon/metrics.h"
#include "controller/daemon/troubles.h"
#include "controller/engine/live_host.h"
#include "controller/engine/reconciler.h"
#include "controller/experiment/live_experiment_host.h"

namespace bulkhead {

// What is known without looking: made after each look and change.
struct Published {
  std::string status;  // JSON on one line, as state.status answers; empty: to be looked at
  std::string active;  // as policy.active answers
  Metrics metrics;     // without those of the API
};

struct KeeperOptions {
  std::string state_directory;
  std::string runtime_directory;
  DaemonConfig config;
};

// Called on the keeper's thread.
struct KeeperListener {
  std::function<void(EventKind, const nlohmann::ordered_json&)> tell;
  std::function<void(std::shared_ptr<const Published>)> publish;
  std::function<void()> work_goes_on;  // before each step of a change
};

class Keeper {
 public:
  Keeper(KeeperOptions options, KeeperListener listener);
  ~Keeper();

  // Finishes what was interrupted, adopts what is in force, or puts it in force again after a reboot. Throws
  // only where this host cannot be kept at all.
  void start();

  // One look, and what follows. Never throws: what fails is told. When to look again, if before the sweep.
  std::optional<Backoff::Time> look();

  using Json = nlohmann::ordered_json;
  // As the methods of the API; they throw Error.
  Json plan(const PolicySource& source);
  Json apply(const PolicySource& source, IfGeneration expected, bool dry_run, const Actor& by);
  Json reset(IfGeneration expected, const Actor& by);
  Json attach(const std::string& service, const std::vector<unsigned>& pids, IfGeneration expected,
              const Actor& by);
  Json detach(const std::string& service, const std::vector<unsigned>& pids, IfGeneration expected,
              const Actor& by);
  Json describe();
  Json verify(bool behaviour);
  Json status();
  Json read_counters();
  Json active() const;

  // As the host of an experiment (ExperimentHost). Each arm is kept as any policy is; while an experiment is
  // recorded nobody else changes what is in force, and what outlives a reboot is the policy from before.
  LiveExperimentHost& experiment_host();
  void put_arm_in_force(const PolicySource& policy, const Actor& by);
  void bring_back(const StateBefore& before, const Actor& by);
  // For the audit log: what changed nothing that is in force, of a policy or an experiment of that name;
  // `refused` says why nothing came of it.
  void note_unchanged(const std::string& action, const std::string& name, const Actor& by,
                      const std::string& refused = {});
  // Why the state from before does not return, for state.status and for subscribers; empty: it has.
  void note_experiment_trouble(const std::optional<Error>& trouble);

  // Another configuration, and the policy file that it names, read again.
  void reload(const DaemonConfig& config);

  // The kernel told of CPUs that came or went, perhaps back to where they were at the last look.
  void note_cpu_event() { reconciler_.host_changed(std::chrono::steady_clock::now()); }

  // A request has found what the last look had not: a look is to tell and mend it. True once.
  bool takes_wish_to_look() { return std::exchange(wants_look_, false); }

  // Directories in which something can happen that look() would find.
  const std::vector<std::string>& places() const { return places_; }
  bool wants_program_events() const { return selects_programs_; }
  bool may_be_selected(unsigned process);  // by what it runs

 private:
  void open_host();
  void close_host();
  bool host_has_changed();
  void adopt();
  std::optional<ActivePolicy> recall_active();
  void apply_policy_file();
  void look_at_host(std::optional<Backoff::Time>& again);
  void notice_host();
  Verification verify_settled();
  void compare_with_last_look(const Verification& found);
  void put_pending_in_force();
  void notice_others(const State& state);
  Backoff::Time note_trouble(const Error& error);
  void want(PolicySource source);
  void give_up_pending();
  void note_in_audit(const AuditEntry& entry);
  void report(const Error& error, const std::string& about);
  void tell_applied(const std::string& policy, std::uint64_t generation, const std::string& file);
  void tell(const Look& look);
  void watch_behaviour(const Verification& found, std::optional<Backoff::Time>& again);
  Outcome carry_out(const std::string& action, const Actor& by, const std::function<Outcome()>& act);
  Outcome change(const std::string& action, const Actor& by, const std::function<Outcome()>& act,
                 const std::string& policy = {});
  Outcome change_for_experiment(const std::string& action, const Actor& by,
                                const std::function<Outcome()>& act, const std::string& policy = {});
  void tell_in_force(const Outcome& outcome, std::uint64_t generation_before, const std::string& file);
  bool is_held_by_experiment() const;
  ActivePolicy to_be_remembered(const State& state) const;
  void add_trouble(Json& status) const;
  static std::string name_of(const std::string& policy_text);  // empty if there is none
  void know_nothing(const State& state);
  void know(const State& state, const Verification& found);
  void publish();
  void remember_active(const State& state);

  KeeperOptions options_;
  KeeperListener listener_;
  AuditLog audit_;
  Store persistent_;
  std::string boot_;
  std::unique_ptr<LiveHost> host_;
  std::unique_ptr<BehaviourWatch> behaviour_;  // of that host
  std::unique_ptr<LiveExperimentHost> experiment_host_;
  std::string cpus_;            // online when last noticed
  Reconciler reconciler_;
  State known_;                          // what is in force, as last seen
  std::optional<Verification> found_;    // at the last look
  std::optional<PolicySource> pending_;  // to be put in force as soon as this host can
  std::optional<Backoff::Time> pending_again_;
  ActivePolicy remembered_;
  std::string status_;  // as published
  std::vector<std::string> places_;
  bool selects_programs_ = false;
  bool wants_look_ = false;
  Troubles troubles_;
  std::string uncounted_, perf_lack_;  // as they were told
  Metrics metrics_;
};

}  // namespace bulkhead

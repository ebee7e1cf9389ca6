// SPDX-License-Identifier: Apache-2.0
// Keeps a host as planned, one look at a time: new threads and services that appear get what the policy gives
// them, and what somebody else changed is found, told, and mended. Who looks when is the daemon's business.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controller/engine/backoff.h"
#include "controller/engine/engine.h"
#include "controller/engine/repair_pace.h"
#include "controller/engine/seen_cgroups.h"
#include "controller/engine/told_findings.h"

namespace bulkhead {

enum class OnDrift { repair, report };

// What one look brought.
struct Look {
  Verification found;                           // as things stand after it
  std::vector<std::string> appeared, vanished;  // services whose selector matches something now, or nothing
  std::vector<Step> followed;                   // what they, and new threads, got
  std::vector<Finding> drift;                   // that was not told before
  std::vector<Step> repaired;
  std::vector<Finding> left;  // that a repair did not mend, and that was not told before
  std::map<std::string, std::chrono::seconds> paused;  // things that are mended again in so long; told once
  std::optional<Error> failure;                        // of a repair, if it is another than the last one
  std::optional<Backoff::Time> again;                  // when drift that must wait may be mended

  void add_followed(const std::vector<Step>& steps) {
    followed.insert(followed.end(), steps.begin(), steps.end());
  }
};

class Reconciler {
 public:
  static constexpr std::chrono::seconds kUntilItCanBeHad{3};  // between looks at a host that lacks something
  static constexpr std::chrono::seconds kHotplugSettles{
      2};  // the kernel narrows cpusets some time afterwards

  explicit Reconciler(OnDrift on_drift) : on_drift_(on_drift) {}

  // Throws what Engine::verify throws: there is a policy in force. Nothing is done, and it is to be looked
  // again at once, where something differs and the host is not `same` as `engine` knows it.
  Look look(
      Engine& engine, Backoff::Time now, const std::function<bool()>& same = [] { return true; });

  // CPUs went or came: which CPUs groups and cgroups have was changed by nobody for a while now.
  void host_changed(Backoff::Time now) { settled_at_ = now + kHotplugSettles; }

  // Whether that is to be seen in what was `found`, and is being mended.
  bool is_settling(const Verification& found, Backoff::Time now) const;

  // Another policy is in force, or none: nothing is known of its services.
  void forget();

  void set_on_drift(OnDrift on_drift) { on_drift_ = on_drift; }

 private:
  using Threads = std::map<std::string, std::set<unsigned>>;  // by service

  void note_services(Look& look);
  void note_contested(Look& look);
  void follow_cgroups(Engine& engine, Look& look);
  std::set<std::string> restarted_services(const Verification& found) const;
  bool settles(const Finding& finding, const Verification& found, Backoff::Time now) const;
  void settle(Engine& engine, Look& look, Backoff::Time now);
  bool repair_all(Engine& engine, Look& look, const Things& held);
  bool is_news(const Finding& finding, const Look& look, const std::set<unsigned>& strays) const;
  std::set<unsigned> moved_away(const std::set<unsigned>& strays) const;
  void follow_threads(Engine& engine, Look& look);
  void follow(Engine& engine, Look& look, Backoff::Time now);
  void follow_again(Look& look, Backoff::Time now);
  void mend(Engine& engine, Look& look, Backoff::Time now);
  void mend(Engine& engine, Look& look, Backoff::Time now, const Things& held);
  void pause(Look& look, Backoff::Time now, const Things& held);
  Things to_be_followed(const Look& look) const;
  std::vector<Finding> drift_of(const Look& look, Backoff::Time now) const;
  std::vector<Finding> of_hotplug(const Look& look, Backoff::Time now) const;
  void remember(const Verification& found);
  void note_failure(Look& look, const Error& error);

  OnDrift on_drift_;
  RepairPace pace_;
  Backoff following_;  // of what could not be given its place: nothing else may tell of it again
  std::optional<Backoff::Time> settled_at_;
  ToldFindings contested_;
  bool knows_services_ = false;
  std::set<std::string> waiting_;
  Threads threads_;  // that are there and have been in their groups
  SeenCgroups cgroups_;
  ToldFindings told_;  // drift that lasts
  ToldFindings left_;  // what a repair has not mended
  std::string last_failure_;
};

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/reconciler.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace bulkhead {
namespace {

constexpr std::chrono::milliseconds kBetweenHotplugLooks{200};

// Threads that are not in their service's group: what a repair would move.
std::set<unsigned> strays_of(const Verification& found) {
  std::set<unsigned> strays;
  if (!found.now.resctrl) return strays;
  for (const Step& step : diff_threads(found.plan, found.now)) {
    for (const auto& [thread, group] : step.tasks) strays.insert(thread);
  }
  return strays;
}

bool is_about_threads(const Finding& finding) {
  return finding.kind == "thread_group" || finding.kind == "thread_cpus";
}

// The host cannot have the policy now: all else that was found means nothing.
bool cannot_be_had(const Verification& found) {
  return std::any_of(found.findings.begin(), found.findings.end(),
                     [](const Finding& finding) { return finding.kind == "plan"; });
}

// What somebody else claims is told, and is not ours to mend.
bool is_contested(const Finding& finding) {
  return finding.kind == "contested";
}

std::vector<Finding> differences(const Verification& found) {
  std::vector<Finding> ours = found.findings;
  std::erase_if(ours, is_contested);
  return ours;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void Reconciler::forget() {
  knows_services_ = false;
  waiting_.clear();
  threads_.clear();
  told_.clear();
  contested_.clear();
  last_failure_.clear();
  backoff_ = following_ = {};
}

void Reconciler::note_contested(Look& look) {
  const auto found = std::find_if(look.found.findings.begin(), look.found.findings.end(), is_contested);
  const std::string message = found == look.found.findings.end() ? "" : found->message;
  if (message != contested_ && !message.empty()) look.drift.push_back(*found);
  contested_ = message;
}

void Reconciler::note_services(Look& look) {
  const std::set<std::string> waiting(look.found.waiting.begin(), look.found.waiting.end());
  if (knows_services_) {
    std::set_difference(waiting_.begin(), waiting_.end(), waiting.begin(), waiting.end(),
                        std::back_inserter(look.appeared));
    std::set_difference(waiting.begin(), waiting.end(), waiting_.begin(), waiting_.end(),
                        std::back_inserter(look.vanished));
  }
  waiting_ = waiting;
  knows_services_ = true;
}

// What has just come cannot have been changed by anybody: a service that appeared, threads never seen before.
bool Reconciler::is_news(const Finding& finding, const Look& look, const std::set<unsigned>& strays) const {
  if (contains(look.appeared, finding.service)) return true;
  if (!is_about_threads(finding)) return false;
  const auto known = threads_.find(finding.service);
  if (known == threads_.end()) return true;
  return std::none_of(strays.begin(), strays.end(),
                      [&](unsigned thread) { return known->second.contains(thread); });
}

std::vector<Finding> Reconciler::untold(const std::vector<Finding>& findings) {
  std::vector<Finding> fresh;
  std::set<std::string> now;  // what has gone meanwhile is told again when it comes back
  for (const Finding& finding : findings) {
    if (now.insert(finding.message).second && !told_.contains(finding.message)) fresh.push_back(finding);
  }
  told_ = std::move(now);
  return fresh;
}

void Reconciler::note_failure(Look& look, const Error& error) {
  if (last_failure_ == error.what()) return;
  last_failure_ = error.what();
  look.failure = error;
}

void Reconciler::remember(const Verification& found) {
  const std::set<unsigned> strays = strays_of(found);
  Threads before = std::move(threads_);
  threads_.clear();
  for (const ObservedService& service : found.now.services) {
    std::set<unsigned>& threads = threads_[service.service];
    for (const auto& [thread, group] : service.thread_groups) {
      if (!strays.contains(thread) || before[service.service].contains(thread)) threads.insert(thread);
    }
  }
}

// Those of them that were in their groups before: somebody has moved them.
std::set<unsigned> Reconciler::moved_away(const std::set<unsigned>& strays) const {
  std::set<unsigned> moved;
  for (const auto& [service, threads] : threads_) {
    std::set_intersection(strays.begin(), strays.end(), threads.begin(), threads.end(),
                          std::inserter(moved, moved.end()));
  }
  return moved;
}

// What somebody changes meanwhile is not mended unnoticed along with that: the next look tells it.
void Reconciler::follow(Engine& engine, Look& look, Backoff::Time now) {
  try {
    look.followed = engine.repair(look.appeared.empty() ? Repair::threads : Repair::services).steps;
    look.found = engine.verify();
    const std::set<unsigned> strays = strays_of(look.found);
    const auto news = [&](const Finding& finding) { return is_news(finding, look, strays); };
    const std::vector<Finding> left = differences(look.found);
    if (std::all_of(left.begin(), left.end(), news)) {
      look.left = untold(left);
    } else {
      look.again = now;
    }
  } catch (const Error& error) {
    note_failure(look, error);
  }
  follow_again(look, now);
}

// A refusal can pass: a lock that somebody held, a unit in the midst of its start.
void Reconciler::follow_again(Look& look, Backoff::Time now) {
  if (differences(look.found).empty()) {
    following_ = {};
    return;
  }
  following_.tried(now);
  look.again = look.again ? std::min(*look.again, *following_.next()) : following_.next();
}

// What else differs stays, threads that somebody has moved among it.
void Reconciler::follow_threads(Engine& engine, Look& look) {
  const std::set<unsigned> strays = strays_of(look.found);
  const std::set<unsigned> moved = moved_away(strays);
  if (strays == moved) return;
  try {
    look.followed = engine.repair(Repair::threads, moved).steps;
    look.found = engine.verify();
  } catch (const Error& error) {
    note_failure(look, error);
  }
}

void Reconciler::mend(Engine& engine, Look& look, Backoff::Time now) {
  if (on_drift_ == OnDrift::report || !backoff_.may_repair(now)) {
    if (on_drift_ == OnDrift::repair) look.again = backoff_.next();
    return follow_threads(engine, look);
  }
  try {
    const bool whole = repair_all(engine, look);
    look.found = engine.verify();
    if (whole) {
      told_.clear();
      look.left = untold(differences(look.found));
    }
  } catch (const Error& error) {
    note_failure(look, error);
  }
  backoff_.tried(now);
  if (!differences(look.found).empty()) look.again = backoff_.next();
}

// Where the whole cannot be mended, what can be is: cgroups need not wait for resctrl, nor it for them. False
// where that was so.
bool Reconciler::repair_all(Engine& engine, Look& look) {
  try {
    look.repaired = engine.repair(Repair::everything).steps;
    last_failure_.clear();
    return true;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::conflict) throw;  // somebody else is at work
    note_failure(look, error);
  }
  for (const Repair part : {Repair::groups, Repair::cpusets}) {
    try {
      for (Step& step : engine.repair(part).steps) look.repaired.push_back(std::move(step));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::conflict) throw;
      // Why is told already: the whole failed by it.
    }
  }
  return false;
}

bool Reconciler::settles(const Finding& finding, Backoff::Time now) const {
  constexpr std::array kOfCpus{"group_cpus",     "monitoring_group", "cpuset",
                               "effective_cpus", "effective_mems",   "thread_cpus"};
  return settled_at_ && now < *settled_at_ &&
         std::find(kOfCpus.begin(), kOfCpus.end(), finding.kind) != kOfCpus.end();
}

// After a hotplug: mended, as often as it takes, without a word of who changed what.
void Reconciler::settle(Engine& engine, Look& look, Backoff::Time now) {
  try {
    look.followed = engine.repair(Repair::everything).steps;
    look.found = engine.verify();
  } catch (const Error& error) {
    note_failure(look, error);
  }
  if (!differences(look.found).empty()) look.again = now + kBetweenHotplugLooks;
}

Look Reconciler::look(Engine& engine, Backoff::Time now, const std::function<bool()>& same) {
  Look look{.found = engine.verify()};
  if (!look.found.findings.empty() && !same()) {
    look.again = now;
    return look;
  }
  if (cannot_be_had(look.found)) {
    // Nothing can be mended until that is over, which has nothing to do with who changed what.
    look.drift = untold(look.found.findings);
    if (on_drift_ == OnDrift::repair) look.again = now + kUntilItCanBeHad;
    return look;
  }
  note_services(look);
  note_contested(look);
  const std::vector<Finding> findings = differences(look.found);
  const std::set<unsigned> strays = strays_of(look.found);
  std::vector<Finding> drift;
  std::copy_if(findings.begin(), findings.end(), std::back_inserter(drift), [&](const Finding& finding) {
    return !is_news(finding, look, strays) && !settles(finding, now);
  });
  const bool settling = std::any_of(findings.begin(), findings.end(),
                                    [&](const Finding& finding) { return settles(finding, now); });
  if (findings.empty()) {
    told_.clear();
    last_failure_.clear();
  } else if (drift.empty() && settling && on_drift_ == OnDrift::repair) {
    settle(engine, look, now);
  } else if (drift.empty()) {
    follow(engine, look, now);
  } else {
    for (Finding& finding : untold(drift)) look.drift.push_back(std::move(finding));
    mend(engine, look, now);
  }
  remember(look.found);
  return look;
}

}  // namespace bulkhead

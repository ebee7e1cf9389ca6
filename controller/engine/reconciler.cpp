// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/reconciler.h"

#include <algorithm>
#include <iterator>

#include "controller/engine/finding_kinds.h"

namespace bulkhead {
namespace {

constexpr std::chrono::milliseconds kBetweenHotplugLooks{200};

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void Reconciler::forget() {
  knows_services_ = false;
  waiting_.clear();
  threads_.clear();
  cgroups_.forget();
  told_.clear();
  left_.clear();
  contested_.clear();
  last_failure_.clear();
  pace_ = {};
  following_ = {};
}

void Reconciler::note_contested(Look& look) {
  std::vector<Finding> contested = look.found.findings;
  std::erase_if(contested, [](const Finding& finding) { return !is_contested(finding); });
  look.drift = contested_.tell(contested);
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

void Reconciler::note_failure(Look& look, const Error& error) {
  if (last_failure_ == error.what()) return;
  last_failure_ = error.what();
  look.failure = error;
}

// All of whose threads are new.
std::set<std::string> Reconciler::restarted_services(const Verification& found) const {
  std::set<std::string> restarted;
  for (const ObservedService& service : found.now.services) {
    const auto known = threads_.find(service.service);
    if (known == threads_.end() || known->second.empty()) continue;
    if (std::none_of(service.thread_groups.begin(), service.thread_groups.end(),
                     [&](const auto& thread) { return known->second.contains(thread.first); }))
      restarted.insert(service.service);
  }
  return restarted;
}

// Cgroups that have just come, or of which something else is wanted since others came or went; and those that
// come meanwhile.
void Reconciler::follow_cgroups(Engine& engine, Look& look) {
  constexpr int kPasses = 4;
  Things last;
  for (int pass = 0; pass < kPasses; ++pass) {
    const Things news = cgroups_.news(look.found, restarted_services(look.found));
    if (news.empty() || news == last) return;
    Things others = things_of(look.found.steps);
    for (const std::string& thing : news) others.erase(thing);
    try {
      look.add_followed(engine.repair(Repair::cpusets, others).steps);
      look.found = engine.verify();
    } catch (const Error& error) {
      return note_failure(look, error);
    }
    last = news;
  }
}

void Reconciler::remember(const Verification& found) {
  cgroups_.remember(found);
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
    look.add_followed(engine.repair(look.appeared.empty() ? Repair::threads : Repair::services).steps);
    look.found = engine.verify();
    const std::set<unsigned> strays = strays_of(look.found);
    const auto news = [&](const Finding& finding) { return is_news(finding, look, strays); };
    const std::vector<Finding> left = differences(look.found);
    if (std::all_of(left.begin(), left.end(), news)) {
      look.left = left_.tell(left);
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

bool Reconciler::settles(const Finding& finding, const Verification& found, Backoff::Time now) const {
  return settled_at_ && now < *settled_at_ && is_of_hotplug(finding, found.capabilities);
}

bool Reconciler::is_settling(const Verification& found, Backoff::Time now) const {
  return on_drift_ == OnDrift::repair &&
         std::any_of(found.findings.begin(), found.findings.end(),
                     [&](const Finding& finding) { return settles(finding, found, now); });
}

// After a hotplug: mended, as often as it takes, without a word of who changed what.
void Reconciler::settle(Engine& engine, Look& look, Backoff::Time now) {
  try {
    look.add_followed(engine.repair(Repair::everything).steps);
    look.found = engine.verify();
  } catch (const Error& error) {
    note_failure(look, error);
  }
  if (!differences(look.found).empty()) look.again = now + kBetweenHotplugLooks;
}

// All but what has just come, and what a hotplug has done.
std::vector<Finding> Reconciler::drift_of(const Look& look, Backoff::Time now) const {
  const std::set<unsigned> strays = strays_of(look.found);
  std::vector<Finding> drift = differences(look.found);
  std::erase_if(drift, [&](const Finding& finding) {
    return is_news(finding, look, strays) || settles(finding, look.found, now);
  });
  return drift;
}

std::vector<Finding> Reconciler::of_hotplug(const Look& look, Backoff::Time now) const {
  std::vector<Finding> findings = differences(look.found);
  std::erase_if(findings, [&](const Finding& finding) { return !settles(finding, look.found, now); });
  return findings;
}

Look Reconciler::look(Engine& engine, Backoff::Time now, const std::function<bool()>& same) {
  Look look{.found = engine.verify()};
  if (!look.found.findings.empty() && !same()) {
    look.again = now;
    return look;
  }
  if (cannot_be_had(look.found)) {
    // Nothing can be mended until that is over, which has nothing to do with who changed what.
    look.drift = told_.tell(look.found.findings);
    if (on_drift_ == OnDrift::repair) look.again = now + kUntilItCanBeHad;
    return look;
  }
  note_services(look);
  note_contested(look);
  follow_cgroups(engine, look);
  // So that new threads are not told in one breath with those that somebody has moved.
  if (!look.found.findings.empty() && !moved_away(strays_of(look.found)).empty()) {
    follow_threads(engine, look);
  }
  const std::vector<Finding> findings = differences(look.found);
  const std::vector<Finding> drift = drift_of(look, now);
  for (Finding& finding : told_.tell(drift, of_hotplug(look, now))) look.drift.push_back(std::move(finding));
  left_.keep_only(findings);
  if (findings.empty()) {
    last_failure_.clear();
  } else if (drift.empty() && is_settling(look.found, now)) {
    settle(engine, look, now);
  } else if (drift.empty()) {
    follow(engine, look, now);
  } else {
    mend(engine, look, now);
  }
  remember(look.found);
  return look;
}

}  // namespace bulkhead

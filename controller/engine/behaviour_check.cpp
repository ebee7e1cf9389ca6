// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/behaviour_check.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "controller/resctrl/class_name.h"

namespace bulkhead {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kRateWindow{5};

}  // namespace

void BehaviourRecord::take(const std::vector<Judgement>& judgements) {
  for (const Judgement& one : judgements) {
    const auto known = std::find_if(judgements_.begin(), judgements_.end(),
                                    [&](const Judgement& other) { return same_subject(other, one); });
    if (known == judgements_.end()) {
      judgements_.push_back(one);
    } else if (known->verdict != Verdict::violated) {
      *known = one;
    }
  }
}

std::size_t BehaviourRecord::count(Verdict verdict) const {
  return static_cast<std::size_t>(
      std::count_if(judgements_.begin(), judgements_.end(),
                    [&](const Judgement& judgement) { return judgement.verdict == verdict; }));
}

Verdict BehaviourRecord::verdict() const {
  for (const Verdict verdict : {Verdict::violated, Verdict::not_settled, Verdict::holds}) {
    if (count(verdict) > 0) return verdict;
  }
  return Verdict::no_data;
}

std::vector<CountedGroup> counted_groups(const Verification* found, const Machine& machine) {
  if (found == nullptr) return {{.path = "", .folder = "", .cpus = machine.cpus}};
  std::vector<CountedGroup> groups;
  CpuSet rest = found->now.online_cpus;
  for (const ObservedGroup& group : found->now.groups) {
    if (group.name.empty()) continue;
    rest -= group.cpus;
    const auto number = found->classes.find(group.name);
    const std::string folder = number == found->classes.end() ? group.name : class_name(number->second);
    groups.push_back({.path = group.name, .folder = folder, .cpus = group.cpus, .ours = group.ours()});
  }
  groups.push_back({.path = "", .folder = "", .cpus = rest});
  return groups;
}

BehaviourCheck::BehaviourCheck(LiveHost& host, ReadingPlan plan)
    : host_(host), source_(host.counter_source()), use_(host.files()) {
  if (source_) sampler_.emplace(*source_, plan);
}

bool BehaviourCheck::counts() const {
  return source_ && !source_->shape().events.empty();
}

std::string BehaviourCheck::lack() const {
  return source_ ? source_->lack() : host_.lack_of_counters();
}

// Where somebody has changed masks there is nothing to settle: what fills more than was planned violates the
// plan. Once they are mended, lines that got in meanwhile are given time, from then on.
std::chrono::milliseconds BehaviourCheck::since_change(const Verification& found) {
  const auto differs = [](const Finding& finding) {
    return finding.kind == "mask" || finding.kind == "group";
  };
  if (std::any_of(found.findings.begin(), found.findings.end(), differs)) {
    masks_differed_ = Clock::now();
    return std::chrono::milliseconds::max();
  }
  using std::chrono::milliseconds;
  milliseconds since = milliseconds::max();
  if (const auto applied = parse_utc(found.since)) {
    since = std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now() - *applied);
  }
  if (masks_differed_) {
    since = std::min(since, std::chrono::duration_cast<milliseconds>(Clock::now() - *masks_differed_));
  }
  return since;
}

// A thread that ran was there at the look before and is there now, so whoever's it is, `found` knows.
std::vector<RanThread> BehaviourCheck::ran(const Verification& found) {
  std::unordered_map<unsigned, const std::string*> service_of;
  for (const ObservedService& service : found.now.services) {
    for (const auto& [thread, group] : service.thread_groups) service_of[thread] = &service.service;
  }
  std::vector<RanThread> threads;
  for (CpuUse::Thread& thread : use_.since_last()) {
    const auto service = service_of.find(thread.id);
    threads.push_back({.id = thread.id,
                       .name = std::move(thread.name),
                       .service = service == service_of.end() ? "" : *service->second,
                       .cpu = thread.cpu});
  }
  return threads;
}

std::vector<Judgement> BehaviourCheck::look(const Verification& found) {
  std::vector<Judgement> judgements;
  if (sampler_) {
    sampler_->follow(counted_groups(&found, host_.machine()));
    sampler_->sample();
    judgements = judge_counters(bounds_of(found.plan, host_.machine(), found.capabilities),
                                snapshot(*sampler_, kRateWindow), found.settings, since_change(found));
  }
  const std::vector<RanThread> threads = ran(found);
  if (!std::exchange(first_, false)) {
    std::vector<Judgement> more = judge_threads(found.plan, threads);
    std::move(more.begin(), more.end(), std::back_inserter(judgements));
  }
  return judgements;
}

}  // namespace bulkhead

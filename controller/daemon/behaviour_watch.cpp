// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/behaviour_watch.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "controller/base/error.h"
#include "controller/monitor/counter_assignment.h"

namespace bulkhead {
namespace {

constexpr std::chrono::seconds kRateWindow{10};

// At first: counters that say nothing yet are no news.
bool is_usual(Verdict verdict) {
  return verdict == Verdict::holds || verdict == Verdict::no_data;
}

}  // namespace

// At each look bandwidth and occupancy: between looks nothing is read.
BehaviourWatch::BehaviourWatch(LiveHost& host, bool always_perf)
    : host_(host),
      check_(host, {.occupancy = kBetweenLooks, .total = kBetweenLooks, .local = {}}),
      perf_(host, always_perf) {}

std::vector<BehaviourWatch::Change> BehaviourWatch::look(const Verification& found, Time now) {
  if (looked_ && now - *looked_ < kBetweenLooks) return {};
  looked_ = now;
  std::vector<Judgement> judged = check_.look(found);
  perf_.look(found, now);
  assign_counters_that_lack();
  std::vector<Change> changes;
  for (const Judgement& one : judged) {
    const auto known = std::find_if(judgements_.begin(), judgements_.end(),
                                    [&](const Judgement& other) { return same_subject(other, one); });
    const bool judged_before = known != judgements_.end();
    if (judged_before ? known->verdict == one.verdict : is_usual(one.verdict)) continue;
    changes.push_back({judged_before ? std::optional(known->verdict) : std::nullopt, one});
  }
  judgements_ = std::move(judged);
  const bool settling = std::any_of(judgements_.begin(), judgements_.end(), [](const Judgement& judgement) {
    return judgement.verdict == Verdict::not_settled;
  });
  again_ = settling ? std::optional(now + kWhileSettling) : std::nullopt;
  return changes;
}

void BehaviourWatch::assign_counters_that_lack() {
  uncounted_ = check_.lack();
  if (check_.sampler() != nullptr && lacks_counters(counters())) uncounted_ = check_.source()->assign_free();
}

void BehaviourWatch::forget() {
  judgements_.clear();
  uncounted_.clear();
  perf_.forget();
  if (check_.source() != nullptr) check_.source()->rest();
}

Snapshot BehaviourWatch::counters() const {
  return check_.sampler() == nullptr ? Snapshot{} : snapshot(*check_.sampler(), kRateWindow);
}

Snapshot BehaviourWatch::read_counters(const Verification* found) {
  Sampler* sampler = check_.sampler();
  if (sampler != nullptr) {
    sampler->follow(counted_groups(found, host_.machine()));
    sampler->sample(
        {CounterEvent::llc_occupancy, CounterEvent::mbm_total_bytes, CounterEvent::mbm_local_bytes});
  }
  if (!check_.lack().empty()) throw Error(ErrorCode::unsupported, check_.lack());
  return counters();
}

nlohmann::ordered_json changes_json(const std::vector<BehaviourWatch::Change>& changes) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const BehaviourWatch::Change& change : changes) {
    list.push_back(judgements_json({change.now}).front());
    list.back()["before"] = change.before ? nlohmann::ordered_json(to_string(*change.before)) : nullptr;
  }
  return list;
}

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// Whether counters and threads behave as a plan promises. Structure can be right and isolation still fail:
// old lines stay in the cache, a limit is not enforced, a thread ran elsewhere. Pure.
#pragma once

#include <array>
#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/base/cpu_set.h"
#include "controller/monitor/bounds.h"
#include "controller/monitor/snapshot.h"
#include "policies/policy.h"

namespace bulkhead {

enum class Verdict {
  holds,
  not_settled,  // a change is so young that lines from before may still be there
  violated,
  no_data,  // the counters say nothing
};
inline constexpr std::array kVerdicts{Verdict::holds, Verdict::not_settled, Verdict::violated,
                                      Verdict::no_data};
std::string_view to_string(Verdict verdict);  // "not settled"

struct Judgement {
  Verdict verdict{};
  std::string kind;  // "occupancy", "bandwidth", "cpus", "intruder"
  std::vector<std::string> services;
  std::string group;  // for occupancy and bandwidth; empty is the default group
  std::optional<CacheId> ccd;
  std::string expected;
  std::string observed;
  std::string message;  // one sentence with all of it
  bool operator==(const Judgement&) const = default;
};

// Whether both are about the same: kind, services, group and CCD.
bool same_subject(const Judgement& one, const Judgement& other);

// `since_change`: how long the masks have been as they are.
std::vector<Judgement> judge_counters(const std::vector<Bound>& bounds, const Snapshot& now,
                                      const VerifySettings& settings, std::chrono::milliseconds since_change);

// A thread that ran since the last look, and the CPU on which it ran last.
struct RanThread {
  unsigned id = 0;
  std::string name;
  std::string service;  // empty: of nobody in the policy
  unsigned cpu = 0;
};

// One judgement for each service of which a thread ran, and one for intruders on CPUs that a service should
// have alone.
std::vector<Judgement> judge_threads(const Plan& plan, const std::vector<RanThread>& ran);

nlohmann::ordered_json judgements_json(const std::vector<Judgement>& judgements);

// The same back. Throws nlohmann::json::exception for what that did not write.
std::vector<Judgement> judgements_of(const nlohmann::ordered_json& list);

}  // namespace bulkhead

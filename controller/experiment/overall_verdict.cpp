// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/overall_verdict.h"

#include <algorithm>

#include "controller/base/text.h"

namespace bulkhead {
namespace {

struct Ending {
  ArmVerdict verdict;
  const char* words;
};
constexpr Ending kEndings[] = {{ArmVerdict::reject, "rejected"},
                               {ArmVerdict::failed_safe, "failed safe"},
                               {ArmVerdict::inconclusive, "inconclusive"},
                               {ArmVerdict::invalid, "invalid"},
                               {ArmVerdict::open, "open"}};

std::string listed(const std::vector<std::string>& names) {
  if (names.size() < 2) return join(names, "");
  const std::vector<std::string> before(names.begin(), names.end() - 1);
  return join(before, ", ") + " and " + names.back();
}

std::vector<std::string> names_with(const std::vector<ArmResult>& candidates, ArmVerdict verdict) {
  std::vector<std::string> names;
  for (const ArmResult& candidate : candidates) {
    if (candidate.verdict == verdict) names.push_back(candidate.arm);
  }
  return names;
}

std::string endings(const std::vector<ArmResult>& candidates) {
  std::vector<std::string> parts;
  for (const Ending& ending : kEndings) {
    const std::vector<std::string> names = names_with(candidates, ending.verdict);
    if (names.empty()) continue;
    parts.push_back(listed(names) + (names.size() == 1 ? " is " : " are ") + ending.words);
  }
  return join(parts, "; ");
}

const ArmResult* best_of(const JudgeTerms& terms, const std::vector<ArmResult>& candidates) {
  const ArmResult* best = nullptr;
  const auto benefit = [&](const ArmResult& arm) {
    return terms.metrics.front().sign() * arm.estimates.front().change.value_or(0);
  };
  for (const ArmResult& candidate : candidates) {
    if (candidate.verdict != ArmVerdict::adopt) continue;
    if (!best || benefit(candidate) > benefit(*best)) best = &candidate;
  }
  return best;
}

}  // namespace

std::string overall_verdict(const JudgeTerms& terms, const std::vector<ArmResult>& candidates) {
  const ArmResult* best = best_of(terms, candidates);
  const std::vector<std::string> adopted = names_with(candidates, ArmVerdict::adopt);
  const std::string rest = endings(candidates);
  const bool open = !names_with(candidates, ArmVerdict::open).empty();
  if (open) return "no verdict yet: " + (best ? listed(adopted) + " may be adopted; " : "") + rest;
  if (candidates.size() == 1) {
    const ArmResult& only = candidates.front();
    return (best ? "adopt " + only.arm : "keep " + terms.control + ", " + rest) + ": " + only.reason;
  }
  if (!best) return "keep " + terms.control + ": " + rest;
  const std::string among = adopted.size() == 1 ? "" : ", the best of " + listed(adopted);
  return "adopt " + best->arm + among + ": " + best->reason + (rest.empty() ? "" : "; " + rest);
}

}  // namespace bulkhead

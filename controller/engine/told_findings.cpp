// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/told_findings.h"

#include <algorithm>
#include <utility>

namespace bulkhead {
namespace {

std::vector<std::string> marks_of(const Finding& finding) {
  if (finding.threads.empty()) return {finding.message};
  std::vector<std::string> marks;
  for (const unsigned thread : finding.threads) {
    marks.push_back(finding.kind + ' ' + finding.service + ' ' + std::to_string(thread) + ": " +
                    finding.expected + ", " + finding.observed);
  }
  return marks;
}

}  // namespace

std::vector<Finding> ToldFindings::tell(const std::vector<Finding>& found,
                                        const std::vector<Finding>& unspoken) {
  const std::set<std::string> before = std::exchange(marks_, {});
  std::vector<Finding> fresh;
  for (const Finding& finding : found) {
    bool is_fresh = false;
    for (const std::string& mark : marks_of(finding)) {
      is_fresh = (marks_.insert(mark).second && !before.contains(mark)) || is_fresh;
    }
    if (is_fresh) fresh.push_back(finding);
  }
  for (const Finding& finding : unspoken) {
    for (const std::string& mark : marks_of(finding)) {
      if (before.contains(mark)) marks_.insert(mark);
    }
  }
  return fresh;
}

bool ToldFindings::contains(const Finding& finding) const {
  const std::vector<std::string> marks = marks_of(finding);
  return std::all_of(marks.begin(), marks.end(),
                     [&](const std::string& mark) { return marks_.contains(mark); });
}

void ToldFindings::keep_only(const std::vector<Finding>& found) {
  std::set<std::string> there;
  for (const Finding& finding : found) {
    for (const std::string& mark : marks_of(finding)) there.insert(mark);
  }
  std::erase_if(marks_, [&](const std::string& mark) { return !there.contains(mark); });
}

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/overall_verdict.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

std::string overall(const std::vector<ArmResult>& candidates, Better better = Better::higher) {
  JudgeTerms terms;
  terms.control = "none";
  terms.metrics = {{.name = "rate", .better = better}};
  return overall_verdict(terms, candidates);
}

ArmResult arm(const std::string& name, ArmVerdict verdict, double change = 0) {
  return {.arm = name, .verdict = verdict, .reason = "because " + name, .estimates = {{.change = change}}};
}

TEST(OverallVerdict, of_one_candidate_is_its_own) {
  EXPECT_EQ(overall({arm("numa", ArmVerdict::adopt)}), "adopt numa: because numa");
  EXPECT_EQ(overall({arm("numa", ArmVerdict::reject)}), "keep none, numa is rejected: because numa");
  EXPECT_EQ(overall({arm("numa", ArmVerdict::inconclusive)}), "keep none, numa is inconclusive: because numa");
  EXPECT_EQ(overall({arm("numa", ArmVerdict::failed_safe)}), "keep none, numa is failed safe: because numa");
}

TEST(OverallVerdict, names_the_best_of_several) {
  const std::vector<ArmResult> arms = {arm("a", ArmVerdict::adopt, 0.05), arm("b", ArmVerdict::adopt, 0.1),
                                       arm("c", ArmVerdict::reject), arm("d", ArmVerdict::invalid),
                                       arm("e", ArmVerdict::reject)};
  EXPECT_EQ(overall(arms), "adopt b, the best of a and b: because b; c and e are rejected; d is invalid");
  EXPECT_EQ(overall(arms, Better::lower),
            "adopt a, the best of a and b: because a; c and e are rejected; d is invalid");
}

TEST(OverallVerdict, keeps_the_control_where_none_is_adopted) {
  EXPECT_EQ(overall({arm("a", ArmVerdict::reject), arm("b", ArmVerdict::reject), arm("c", ArmVerdict::reject)}),
            "keep none: a, b and c are rejected");
}

TEST(OverallVerdict, is_not_given_while_a_candidate_is_open) {
  EXPECT_EQ(overall({arm("a", ArmVerdict::open)}), "no verdict yet: a is open");
  EXPECT_EQ(overall({arm("a", ArmVerdict::adopt), arm("b", ArmVerdict::open)}),
            "no verdict yet: a may be adopted; b is open");
}

}  // namespace
}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// Every case of tests/golden/cases plans to the text beside it. BULKHEAD_UPDATE_GOLDENS=1 rewrites those
// texts: read the difference before it is committed.
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>

#include "tests/golden/golden_case.h"

namespace bulkhead {
namespace {

class GoldenPlan : public testing::TestWithParam<std::string> {};

TEST_P(GoldenPlan, is_as_recorded) {
  const std::string planned = plan_golden(GetParam());
  if (std::getenv("BULKHEAD_UPDATE_GOLDENS") != nullptr) write_golden(GetParam(), ".plan", planned);
  EXPECT_EQ(planned, read_golden(GetParam(), ".plan"));
  EXPECT_EQ(planned, plan_golden(GetParam())) << "a second run differs";
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenPlan, testing::ValuesIn(golden_cases()), test_name);

TEST(GoldenPlans, are_not_fewer_than_they_were) {
  EXPECT_GE(golden_cases().size(), 60U);
}

}  // namespace
}  // namespace bulkhead

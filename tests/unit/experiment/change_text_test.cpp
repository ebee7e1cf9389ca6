// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/change_text.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

TEST(ChangeText, has_a_sign_and_no_more_digits_than_matter) {
  EXPECT_EQ(format_change(0.0481), "+4.8 %");
  EXPECT_EQ(format_change(-0.0031), "-0.31 %");
  EXPECT_EQ(format_change(0.00996), "+1.0 %");
  EXPECT_EQ(format_change(1.5), "+150 %");
  EXPECT_EQ(format_change(-0.0000001), "+0 %");
}

TEST(ChangeText, shares_have_none) {
  EXPECT_EQ(format_share(0.95), "95 %");
  EXPECT_EQ(format_share(0.9875), "98.75 %");
  EXPECT_EQ(format_number(2340000), "2.34e+06");
}

}  // namespace
}  // namespace bulkhead

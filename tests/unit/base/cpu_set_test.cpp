// SPDX-License-Identifier: Apache-2.0
#include "controller/base/cpu_set.h"

#include <gtest/gtest.h>

#include "controller/base/error.h"

namespace bulkhead {
namespace {

std::string refusal(std::string_view list) {
  try {
    CpuSet::parse_list(list);
  } catch (const Error& error) {
    return error.detail().message;
  }
  return "accepted";
}

TEST(CpuSet, reads_and_writes_linux_lists) {
  EXPECT_EQ(CpuSet::parse_list("0-3,8, 10-11\n").to_list(), "0-3,8,10-11");
  EXPECT_EQ(CpuSet::parse_list("").to_list(), "");
  EXPECT_EQ(CpuSet::parse_list("\n"), CpuSet{});
  EXPECT_EQ(CpuSet::parse_list("1,,2").to_list(), "1-2");
  EXPECT_EQ(CpuSet::parse_list("0-15:2/4").to_list(), "0-1,4-5,8-9,12-13");
  EXPECT_EQ(CpuSet::parse_list("0-1247").size(), 1248U);
  EXPECT_EQ(CpuSet::parse_list("65535").last(), 65535U);
}

TEST(CpuSet, refuses_what_is_no_list) {
  EXPECT_EQ(refusal("a"), "'a' is not a number or a range");
  EXPECT_EQ(refusal("0,-1"), "'-1' is not a number or a range");
  EXPECT_EQ(refusal("1-"), "'1-' is not a number or a range");
  EXPECT_EQ(refusal("3-1"), "'3-1' ends before it begins");
  EXPECT_EQ(refusal("0-65536"), "'0-65536' is beyond 65535");
  EXPECT_EQ(refusal("99999999999999999999"), "'99999999999999999999' is not a number or a range");
  EXPECT_EQ(refusal("0-7:3/2"), "'0-7:3/2' has an impossible 'used/group'");
  EXPECT_EQ(refusal("0-7:2"), "'0-7:2' has a ':' without 'used/group'");
}

TEST(CpuSet, compares_equal_whatever_it_held_before) {
  CpuSet set{1, 200};
  set.erase(200);
  EXPECT_EQ(set, CpuSet{1});
  EXPECT_EQ((CpuSet{1, 200} & CpuSet{1}), CpuSet{1});
  EXPECT_EQ((CpuSet{1, 200} - CpuSet{200}), CpuSet{1});
}

TEST(CpuSet, relates_sets) {
  const CpuSet set = CpuSet::parse_list("0-95,192-287");
  EXPECT_TRUE(set.contains(CpuSet{5, 200}));
  EXPECT_FALSE(set.contains(CpuSet{5, 96}));
  EXPECT_FALSE(set.contains(1000));
  EXPECT_TRUE(set.intersects(CpuSet{95, 96}));
  EXPECT_FALSE(set.intersects(CpuSet{96, 300}));
  EXPECT_EQ(set.first(), 0U);
  EXPECT_EQ(set.last(), 287U);
  EXPECT_EQ(CpuSet::range(64, 127).to_list(), "64-127");
  EXPECT_EQ(CpuSet::range(5, 4), CpuSet{});
}

}  // namespace
}  // namespace bulkhead

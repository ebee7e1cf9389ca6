// SPDX-License-Identifier: Apache-2.0
#include "controller/base/text.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>

namespace bulkhead {
namespace {

TEST(Text, parses_whole_integers_only) {
  EXPECT_EQ(parse_integer<unsigned>("42"), 42U);
  EXPECT_EQ(parse_integer<std::uint64_t>("ff", 16), 255U);
  for (const char* wrong : {"", " 1", "1 ", "-1", "+1", "0x1", "1.0", "4294967296"}) {
    EXPECT_EQ(parse_integer<unsigned>(wrong), std::nullopt) << wrong;
  }
}

TEST(Text, splits_without_an_empty_end) {
  EXPECT_EQ(split("a\nb\n", '\n').size(), 2U);
  EXPECT_EQ(split("a,,b", ',').size(), 3U);
  EXPECT_TRUE(split("", ',').empty());
}

TEST(Text, suggests_what_was_meant) {
  constexpr std::array<std::string_view, 4> kWords{"bandwidth", "exclusive_cpus", "l3", "cpus"};
  EXPECT_EQ(closest("bandwith", kWords), "bandwidth");
  EXPECT_EQ(closest("Exclusive_cpu", kWords), "exclusive_cpus");
  EXPECT_EQ(closest("cpsu", kWords), "cpus");
  EXPECT_EQ(closest("memory", kWords), "");
  EXPECT_EQ(closest(std::string(100000, 'x'), kWords), "");
}

TEST(Text, matches_patterns) {
  EXPECT_TRUE(matches_pattern("/kubepods/pod1/abc", "/kubepods/*"));
  EXPECT_TRUE(matches_pattern("/a/b", "/a/b"));
  EXPECT_TRUE(matches_pattern("/a/bc", "/a/b?"));
  EXPECT_FALSE(matches_pattern("/a/b", "/a/b?"));
  EXPECT_FALSE(matches_pattern("/a", "/a/*"));
  EXPECT_TRUE(matches_pattern(std::string(5000, 'a'), "*a*a*a*a*a"));
  EXPECT_FALSE(matches_pattern(std::string(5000, 'a'), "*a*a*a*a*b"));
}

TEST(Text, counts_with_nouns) {
  EXPECT_EQ(counted(1, "way"), "1 way");
  EXPECT_EQ(counted(0, "CCD"), "0 CCDs");
  EXPECT_EQ(counted(2, "class"), "2 classes");
}

}  // namespace
}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "policies/series_selector.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

SeriesSelector parsed(std::string_view text) {
  const auto series = parse_series(text);
  EXPECT_TRUE(std::holds_alternative<SeriesSelector>(series))
      << text << ": " << std::get<std::string>(series);
  return std::get<SeriesSelector>(series);
}

std::string refused(std::string_view text) {
  const auto series = parse_series(text);
  EXPECT_TRUE(std::holds_alternative<std::string>(series)) << text;
  return std::get<std::string>(series);
}

TEST(SeriesSelector, reads_a_name_with_labels) {
  EXPECT_EQ(parsed("up"), (SeriesSelector{"up", {}}));
  EXPECT_EQ(parsed("job:rate5m{}"), (SeriesSelector{"job:rate5m", {}}));
  EXPECT_EQ(parsed(R"(a_total {b="1", c = "x y",})"),
            (SeriesSelector{"a_total", {{"b", "1"}, {"c", "x y"}}}));
}

TEST(SeriesSelector, undoes_escapes) {
  EXPECT_EQ(parsed(R"(a{b="\"\\\n}"})").labels, (Labels{{"b", "\"\\\n}"}}));
}

TEST(SeriesSelector, says_why_a_text_is_none) {
  EXPECT_EQ(refused(""), "it begins with no name");
  EXPECT_EQ(refused("9a"), "it begins with no name");
  EXPECT_EQ(refused("a b"), "something follows it");
  EXPECT_EQ(refused("a{"), "a label's name is missing");
  EXPECT_EQ(refused("a{b}"), "the label b has no value");
  EXPECT_EQ(refused("a{b=1}"), "the value of the label b has no double quotes around it");
  EXPECT_EQ(refused("a{b=\"1}"), "the value of the label b has no double quotes around it");
  EXPECT_EQ(refused("a{b=\"\\"), "the value of the label b has no double quotes around it");
  EXPECT_EQ(refused("a{b!=\"1\"}"), "labels are compared with = only");
  EXPECT_EQ(refused("a{b=~\"1\"}"), "labels are compared with = only");
  EXPECT_EQ(refused("a{b=\"1\",b=\"2\"}"), "the label b is there twice");
  EXPECT_EQ(refused("a{b=\"1\""), "a '}' is missing");
}

}  // namespace
}  // namespace bulkhead

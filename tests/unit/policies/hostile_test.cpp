// SPDX-License-Identifier: Apache-2.0
// Documents that were written to do harm: every one ends in few and short diagnostics.
#include <algorithm>
#include <gtest/gtest.h>
#include <string>

#include "policies/diagnostic_list.h"
#include "policies/json_document.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

// A pointer has at most kDeepestJson keys of at most kLongestJsonKey bytes, a message the few words it
// quotes.
constexpr std::size_t kLongestMessage = 512;
constexpr std::size_t kLongestPointer = kDeepestJson * (2 * kLongestJsonKey + 1);

std::vector<Diagnostic> diagnostics_of(const std::string& text) {
  std::vector<Diagnostic> said = read_policy(text).diagnostics;
  EXPECT_FALSE(said.empty());
  EXPECT_LE(said.size(), kMostDiagnostics + 1);
  for (const Diagnostic& diagnostic : said) {
    EXPECT_LE(diagnostic.message.size(), kLongestMessage);
    EXPECT_LE(diagnostic.place.pointer.size(), kLongestPointer);
  }
  return said;
}

std::string repeated(const std::string& part, std::size_t times) {
  std::string text;
  text.reserve(part.size() * times);
  for (; times > 0; --times) text += part;
  return text;
}

std::string with_services(const std::string& services) {
  return R"({"bulkhead": 1, "name": "p", "services": {)" + services + "}}";
}

TEST(Hostile, hundred_megabytes_are_refused_unread) {
  const auto said = diagnostics_of(std::string(100'000'000, ' '));
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0].message, "the file has 100000000 bytes: a document has at most 4194304");
}

TEST(Hostile, the_largest_policy_is_read) {
  std::string text = with_services(R"("a": {"select": "others"})");
  text.resize(kLargestPolicy, ' ');
  EXPECT_TRUE(read_policy(text).policy.has_value());
  EXPECT_EQ(diagnostics_of(text + ' ').at(0).message,
            "the file has 4194305 bytes: a document has at most 4194304");
}

TEST(Hostile, nested_brackets) {
  EXPECT_EQ(diagnostics_of(repeated("[", kLargestPolicy)).at(0).place.column, 33U);
  EXPECT_EQ(diagnostics_of(repeated("{\"a\":", kLargestPolicy / 5)).at(0).message,
            "more than 32 objects and arrays inside one another");
}

TEST(Hostile, a_million_repeated_keys) {
  const auto said = diagnostics_of("{" + repeated("\"\":1,", 800'000) + "\"\":1}");
  EXPECT_EQ(said.back().message, "and 65436 more, not shown");
}

TEST(Hostile, thousands_of_unknown_keys) {
  std::string text = "{\"bulkhead\": 1, \"name\": \"p\", \"services\": {\"a\": {\"select\": \"others\"}}";
  for (int key = 0; key < 50'000; ++key) text += ",\n\"servicesss" + std::to_string(key) + "\": 1";
  const auto said = diagnostics_of(text + "}");
  ASSERT_EQ(said.size(), kMostDiagnostics + 1);
  EXPECT_EQ(said.back().message, "and 49900 more, not shown");
  EXPECT_EQ(said[0].message, "unknown key \"servicesss0\": did you mean \"services\"?");
}

TEST(Hostile, texts_of_megabytes) {
  const std::string megabyte(1'000'000, 'x');
  for (const std::string key : {"l3", "bandwidth", "cpus", "memory", "class", "assign", "partition"}) {
    const auto said = diagnostics_of(
        with_services("\"a\": {\"select\": \"others\", \"" + key + "\": \"" + megabyte + "\"}"));
    EXPECT_EQ(said.size(), 1U) << key;
  }
  for (const std::string kind : {"unit", "cgroup", "exe", "comm", "pidfile"}) {
    diagnostics_of(with_services("\"a\": {\"select\": {\"" + kind + "\": \"" + megabyte + "\"}}"));
  }
  diagnostics_of(
      with_services("\"a\": {\"select\": \"others\", \"cpus\": {\"cpus\": \"" + megabyte + "\"}}"));
  diagnostics_of("{\"a\": 1" + megabyte + "}");
  diagnostics_of("{\"a\": \"" + megabyte);
  diagnostics_of(megabyte);
}

TEST(Hostile, numbers_of_megabytes) {
  const std::string digits(1'000'000, '9');
  EXPECT_EQ(diagnostics_of("[" + digits + "]").at(0).message,
            "the number " + std::string(57, '9') + "... is too large for any use here");
  const auto said =
      diagnostics_of(with_services(R"("a": {"select": "others", "l3": {"ways": 99999999999999999999999}})"));
  EXPECT_EQ(said.at(0).message, "99999999999999999999999 is out of range: a number of ways is 1 to 32");
}

TEST(Hostile, control_characters_do_not_reach_the_terminal) {
  const auto said = diagnostics_of(with_services(R"("\u001b[2J\u009b": {"select": "oth\u0007ers\u0085"})"));
  const std::string text = render("p.json", said);
  const auto is_control = [](char letter) {
    return static_cast<unsigned char>(letter) < 0x20 && letter != '\n';
  };
  EXPECT_TRUE(std::ranges::none_of(text, is_control)) << text;
  EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos);
  EXPECT_EQ(text.find("\xc2\x85"), std::string::npos);
  EXPECT_NE(text.find("\"\\u001b[2J\\u009b\" is not a name"), std::string::npos) << text;
}

}  // namespace
}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "policies/quote.h"

#include <gtest/gtest.h>

#include "policies/diagnostic.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

TEST(Quote, leaves_text_of_any_language_as_it_is) {
  for (const char* text : {"plain", "Zürich", "Ελλάδα", "日本", "\U0001f600", "a b", ""}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Quote, spells_out_control_characters) {
  EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(printable(std::string_view("\0\x1b[2J\x7f", 6)), "\\u0000\\u001b[2J\\u007f");
  EXPECT_EQ(printable("\u0080\u009b\u009f\u00a0"), "\\u0080\\u009b\\u009f\u00a0");
}

TEST(Quote, spells_out_what_changes_how_the_rest_looks) {
  EXPECT_EQ(printable("\u202egpj.exe\u202c"), "\\u202egpj.exe\\u202c");
  EXPECT_EQ(printable("\u2066a\u2069"), "\\u2066a\\u2069");
  EXPECT_EQ(printable("\u200e\u200f\u061c"), "\\u200e\\u200f\\u061c");
  EXPECT_EQ(printable("\u00ad\u200b\u200d\u2060\ufeff\u180e"), "\\u00ad\\u200b\\u200d\\u2060\\ufeff\\u180e");
  EXPECT_EQ(printable("\u2028\u2029"), "\\u2028\\u2029");
  EXPECT_EQ(printable("\U000e0041"), "\\udb40\\udc41");
}

TEST(Quote, spells_out_bytes_that_are_no_characters) {
  EXPECT_EQ(printable("a\xff\x9b["), "a\\xff\\x9b[");
  EXPECT_EQ(printable("\xe2\x80"), "\\xe2\\x80");
}

TEST(Quote, cuts_long_words_between_characters) {
  EXPECT_EQ(shortened(std::string(60, 'a')), std::string(60, 'a'));
  EXPECT_EQ(shortened(std::string(61, 'a')), std::string(57, 'a') + "...");
  EXPECT_EQ(shortened(std::string(56, 'a') + "\u00fc\u00fc\u00fc"), std::string(56, 'a') + "...");
}

TEST(Quote, escapes_quotes_in_quotes) {
  EXPECT_EQ(in_quotes("a\"b\u202e"), "\"a\\\"b\\u202e\"");
}

TEST(Quote, makes_every_part_of_a_diagnostic_printable) {
  const PolicyReading reading =
      read_policy("{\"bulkhead\": 1, \"name\": \"p\", \"\u202eevil\": 1, \"services\": {}}");
  EXPECT_EQ(render("\u202ef.json", reading.diagnostics).substr(0, 43),
            "\\u202ef.json:1:30: /\\u202eevil: unknown key");
}

TEST(Quote, shows_whole_characters_where_they_are_wrong) {
  const auto said = [](const char* text) { return read_policy(text).diagnostics.at(0).message; };
  EXPECT_NE(said("{\"a\": \"\\\u00fc\"}").find("\\\u00fc"), std::string::npos)
      << said("{\"a\": \"\\\u00fc\"}");
}

}  // namespace
}  // namespace bulkhead

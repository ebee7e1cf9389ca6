// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/style.h"

#include <gtest/gtest.h>

#include "controller/cli/console.h"
#include "controller/cli/table.h"

namespace bulkhead {
namespace {

TEST(Style, paints_only_in_colour) {
  EXPECT_EQ(paint({}, Paint::bad, "x"), "x");
  EXPECT_EQ(paint({.color = true}, Paint::bad, "x"), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(paint_group({}, 3, "D"), "D");
  EXPECT_EQ(paint_group({.color = true}, 0, "A"), "\x1b[30;48;5;74mA\x1b[0m");
}

TEST(Style, has_a_letter_for_every_group) {
  EXPECT_EQ(group_letter(0), 'A');
  EXPECT_EQ(group_letter(25), 'Z');
  EXPECT_EQ(group_letter(26), '#');
}

TEST(Style, counts_columns_not_bytes) {
  EXPECT_EQ(display_width("Zürich"), 6U);
  EXPECT_EQ(padded("ü", 3), "ü  ");
  EXPECT_EQ(padded("long", 3), "long");
}

TEST(Style, wraps_at_blanks_then_commas_then_anywhere) {
  EXPECT_EQ(wrapped("one two three", 8, "  "), "one two\n  three");
  EXPECT_EQ(wrapped("0-15,192-207", 8, ""), "0-15,\n192-207");
  EXPECT_EQ(wrapped("abcdefghij", 4, ""), "abcd\nefgh\nij");
  EXPECT_EQ(wrapped("exact", 5, ""), "exact");
  EXPECT_EQ(wrapped("", 5, ""), "");
}

TEST(Style, knows_the_locales_of_utf8) {
  EXPECT_TRUE(names_utf8("de_DE.UTF-8"));
  EXPECT_TRUE(names_utf8("C.utf8"));
  EXPECT_FALSE(names_utf8("C"));
  EXPECT_FALSE(names_utf8("de_DE.ISO-8859-1"));
}

TEST(Table, aligns_columns_and_leaves_no_blanks_at_the_end) {
  Table table({"name", "what"});
  table.add({"a", "first"});
  table.add({"longer", ""});
  EXPECT_EQ(table.draw({}), "name    what\na       first\nlonger\n");
}

TEST(Table, breaks_the_widest_column_where_all_is_too_wide) {
  Table table({"name", "what"});
  table.add({"a", "some words that do not fit"});
  EXPECT_EQ(table.draw({.width = 20}),
            "name  what\n"
            "a     some words\n"
            "      that do not\n"
            "      fit\n");
}

}  // namespace
}  // namespace bulkhead

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
  EXPECT_EQ(hanging("four five six", 9), "four five\n  six");
  EXPECT_EQ(hanging("four fives six seven", 10), "four fives\n  six\n  seven");
  EXPECT_EQ(hanging("abc", 1), "a\n  b\n  c");
  EXPECT_EQ(wrapped("0-15,192-207", 8, ""), "0-15,\n192-207");
  EXPECT_EQ(wrapped("abcdefghij", 4, ""), "abcd\nefgh\nij");
  EXPECT_EQ(wrapped("exact", 5, ""), "exact");
  EXPECT_EQ(wrapped("", 5, ""), "");
}

TEST(Style, wraps_between_characters_not_bytes) {
  EXPECT_EQ(wrapped("üüüüü", 2, ""), "üü\nüü\nü");
  EXPECT_EQ(wrapped("für größere Häuser", 11, ""), "für größere\nHäuser");
  EXPECT_EQ(wrapped("ü,ü,ü", 4, ""), "ü,ü,\nü");
  EXPECT_EQ(wrapped("abc", 0, ""), "a\nb\nc");
}

TEST(Style, spells_out_what_would_steer_the_terminal) {
  EXPECT_EQ(wrapped("/a\x1b[2J\u202e.slice: enable", 100, ""), "/a\\u001b[2J\\u202e.slice: enable");
  EXPECT_EQ(titled("a\nb", " on c", {.color = true}), "\x1b[1ma\\nb\x1b[0m on c");
}

TEST(Style, makes_a_title_bold_unless_it_is_broken) {
  EXPECT_EQ(titled("a", " on some machine", {.width = 10}), "a on some\nmachine");
  EXPECT_EQ(titled("a", " on some machine", {.color = true, .width = 10}),
            "\x1b[1ma\x1b[0m on some\nmachine");
  EXPECT_EQ(titled("node 0, node 1", "", {.color = true, .width = 10}), "node 0,\nnode 1");
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

TEST(Table, becomes_records_where_no_column_can_give_way) {
  Table table({"", "service", "", "asked", "planned"});
  table.add({"A", "web", "cpus", "node 0", "CPUs 0-95,192-287: CCDs 0-5"});
  table.add({"", "", "l3", "100%", "-"});
  EXPECT_EQ(table.draw({.width = 37}),
            "A  web  cpus\n"
            "    asked    node 0\n"
            "    planned  CPUs 0-95,192-287: CCDs\n"
            "             0-5\n"
            "  l3\n"
            "    asked    100%\n"
            "    planned  -\n");
  Table named({"service", "group", "CPUs"});
  named.add({"a-service-of-a-long-name", "bulkhead.a-service", "0-3"});
  EXPECT_EQ(named.draw({.width = 20}),
            "a-service-of-a-lon\n"
            "  g-name\n"
            "    group  bulkhead.\n"
            "           a-service\n"
            "    CPUs   0-3\n");
}

TEST(Table, spells_out_what_would_steer_the_terminal) {
  Table table({"name", "what"});
  table.add({"a\u202e", "b\nc"});
  EXPECT_EQ(table.draw({}), "name     what\na\\u202e  b\\nc\n");
}

}  // namespace
}  // namespace bulkhead

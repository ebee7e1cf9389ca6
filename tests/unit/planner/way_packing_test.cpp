// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/way_packing.h"

#include <gtest/gtest.h>
#include <string>

namespace bulkhead {
namespace {

const WayField kAmdWays{
    .full = {0xffff}, .min_ways = 1, .sparse = true, .shareable = {}, .forbidden = {}, .foreign = {}};
const WayField kIntelWays{
    .full = {0xfff}, .min_ways = 1, .sparse = false, .shareable = {0xc00}, .forbidden = {}, .foreign = {}};

WayAsk owner(unsigned ways) {
  return {.exclusive = true, .fixed = {}, .ways = ways};
}
WayAsk sharer(unsigned ways) {
  return {.exclusive = false, .fixed = {}, .ways = ways};
}
WayAsk fixed(std::uint64_t mask, bool exclusive = false) {
  return {.exclusive = exclusive, .fixed = WayMask{mask}, .ways = 0};
}
const WayAsk kRest = sharer(0);

// "f f0 ff00", or "ask 1 fits 8".
std::string packed(const WayField& field, const std::vector<WayAsk>& asks) {
  const auto result = pack_ways(field, asks);
  if (const auto* shortage = std::get_if<WayShortage>(&result)) {
    return "ask " + std::to_string(shortage->ask) + " fits " + std::to_string(shortage->fits);
  }
  std::string text;
  for (const WayMask mask : std::get<0>(result)) text += (text.empty() ? "" : " ") + mask.to_hex();
  return text;
}

TEST(PackWays, packs_owners_from_the_lowest_way_up_in_order) {
  EXPECT_EQ(packed(kAmdWays, {owner(4), owner(2), kRest}), "f 30 ffc0");
}

TEST(PackWays, gives_what_is_left_to_everybody_else) {
  EXPECT_EQ(packed(kAmdWays, {kRest, owner(12), kRest}), "f000 fff f000");
}

TEST(PackWays, keeps_sharers_apart_where_they_fit_side_by_side) {
  EXPECT_EQ(packed(kAmdWays, {sharer(8), sharer(8)}), "ff ff00");
  EXPECT_EQ(packed(kAmdWays, {sharer(4), owner(8), sharer(4)}), "f00 ff f000");
}

TEST(PackWays, overlaps_sharers_as_little_as_possible) {
  EXPECT_EQ(packed(kAmdWays, {sharer(12), sharer(8)}), "fff ff00");
  EXPECT_EQ(packed(kAmdWays, {sharer(8), sharer(8), sharer(8)}), "ff ff00 ff");
}

TEST(PackWays, never_puts_sharers_into_owned_ways) {
  EXPECT_EQ(packed(kAmdWays, {owner(10), sharer(6), sharer(6)}), "3ff fc00 fc00");
}

TEST(PackWays, gives_shareable_ways_to_owners_last) {
  const WayField low{
      .full = {0xfff}, .min_ways = 1, .sparse = false, .shareable = {0x3}, .forbidden = {}, .foreign = {}};
  EXPECT_EQ(packed(low, {owner(4), kRest}), "3c fc0");
  EXPECT_EQ(packed(low, {owner(11), kRest}), "ffe 1");
}

TEST(PackWays, goes_around_fixed_masks) {
  EXPECT_EQ(packed(kIntelWays, {fixed(0x00f), owner(4), kRest}), "f f0 f");
}

TEST(PackWays, tries_other_positions_where_the_first_ones_leave_no_room) {
  // From the lowest way up the small owner would push the large one into ways that devices write to.
  EXPECT_EQ(packed(kIntelWays, {fixed(0x060), owner(3), owner(5)}), "60 380 1f");
}

TEST(PackWays, uses_gaps_only_where_the_machine_allows_them_and_nothing_else_fits) {
  EXPECT_EQ(packed(kAmdWays, {fixed(0x0f00), owner(8)}), "f00 ff");
  EXPECT_EQ(packed(kAmdWays, {fixed(0x0f00), owner(10)}), "f00 30ff");
  EXPECT_EQ(packed(kIntelWays, {fixed(0x0f0), owner(6)}), "ask 1 fits 4");
}

TEST(PackWays, keeps_owners_out_of_foreign_masks_but_not_sharers) {
  WayField field = kAmdWays;
  field.foreign = {0x000f};
  EXPECT_EQ(packed(field, {owner(4), sharer(8)}), "f0 ff00");
  EXPECT_EQ(packed(field, {sharer(16)}), "ffff");
  EXPECT_EQ(packed(field, {owner(13)}), "ask 0 fits 12");
}

TEST(PackWays, keeps_everybody_out_of_forbidden_ways) {
  WayField field = kAmdWays;
  field.forbidden = {0x000f};
  EXPECT_EQ(packed(field, {kRest, sharer(12)}), "fff0 fff0");
  EXPECT_EQ(packed(field, {sharer(13)}), "ask 0 fits 12");
}

TEST(PackWays, says_which_ask_does_not_fit_and_what_would) {
  EXPECT_EQ(packed(kAmdWays, {owner(8), owner(12)}), "ask 1 fits 8");
  EXPECT_EQ(packed(kAmdWays, {owner(16), kRest}), "ask 0 fits 15");
  EXPECT_EQ(packed(kAmdWays, {sharer(8), owner(12)}), "ask 0 fits 4");
  EXPECT_EQ(packed(kAmdWays, {owner(8), owner(8), owner(1)}), "ask 2 fits 0");
}

TEST(PackWays, leaves_the_least_that_the_machine_needs) {
  WayField field = kIntelWays;
  field.min_ways = 2;
  EXPECT_EQ(packed(field, {owner(11), kRest}), "ask 0 fits 10");
}

TEST(PackWays, gives_the_largest_run_where_masks_must_be_contiguous) {
  EXPECT_EQ(packed(kIntelWays, {fixed(0x00c, true), kRest}), "c ff0");
  EXPECT_EQ(packed(kAmdWays, {fixed(0x00c, true), kRest}), "c fff3");
}

}  // namespace
}  // namespace bulkhead

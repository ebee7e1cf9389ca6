// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/search.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace bulkhead {
namespace {

SearchSpace plain_space() {
  return SearchSpace({.ccds = {1, 2, 3, 4, 5, 6, 7, 8}, .ways = {2, 4, 6, 8, 10, 12, 14, 16}});
}

// More of each is better, until the neighbours have too little: at most 48 CCDs times ways. The best is 6
// CCDs with 8 ways, or as good as that.
double benefit_of(const SearchPoint& point) {
  return std::log(*point.ccds) + 0.6 * std::log(*point.ways);
}
double latency_of(const SearchPoint& point) {
  return std::log(*point.ccds * *point.ways / 48.5);
}

TEST(Search, finds_the_best_that_keeps_the_limit) {
  const SearchSpace space = plain_space();
  double oracle = -1e9;
  for (std::size_t number = 0; number < space.size(); ++number) {
    const SearchPoint point = space.point(number);
    if (latency_of(point) <= 0) oracle = std::max(oracle, benefit_of(point));
  }
  Search search(space, 15);
  std::set<std::size_t> seen;
  while (const std::optional<SearchProposal> proposal = search.next()) {
    EXPECT_TRUE(seen.insert(proposal->number).second) << "asked for twice";
    EXPECT_EQ(proposal->designed, seen.size() <= kDesignedPoints);
    search.tell(proposal->number, benefit_of(proposal->point), latency_of(proposal->point));
  }
  EXPECT_EQ(search.evaluations(), 15U);
  ASSERT_TRUE(search.best());
  EXPECT_LE(latency_of(space.point(*search.best())), 0);
  EXPECT_NEAR(benefit_of(space.point(*search.best())), oracle, 0.02);
}

TEST(Search, proposes_the_same_until_it_is_told) {
  const SearchSpace space = plain_space();
  const Search search(space, 15);
  EXPECT_EQ(search.next()->number, search.next()->number);
}

TEST(Search, has_no_best_where_nothing_keeps_the_limit) {
  const SearchSpace space = plain_space();
  Search search(space, 10);
  while (const auto proposal = search.next()) search.tell(proposal->number, 1, 0.5);
  EXPECT_FALSE(search.best());
}

TEST(Search, ends_when_every_combination_was_tried) {
  const SearchSpace space({.ways = {4, 8, 12}});
  Search search(space, 15);
  unsigned tried = 0;
  while (const auto proposal = search.next()) {
    search.tell(proposal->number, *proposal->point.ways, -0.5);
    ++tried;
  }
  EXPECT_EQ(tried, 3U);
  EXPECT_EQ(describe(space.point(*search.best())), "12 ways");
}

TEST(Search, what_failed_is_not_asked_for_again_nor_recommended) {
  const SearchSpace space({.ways = {4, 8, 12}});
  Search search(space, 15);
  while (const auto proposal = search.next()) {
    if (*proposal->point.ways == 12)
      search.tell_failed(proposal->number);
    else
      search.tell(proposal->number, *proposal->point.ways, -0.5);
  }
  EXPECT_EQ(search.evaluations(), 3U);
  EXPECT_EQ(describe(space.point(*search.best())), "8 ways");
}

TEST(Search, a_measurement_that_came_to_nothing_uses_up_the_budget_only) {
  const SearchSpace space = plain_space();
  Search search(space, 7);
  while (const auto proposal = search.next()) search.tell_nothing(proposal->number);
  EXPECT_EQ(search.evaluations(), 7U);
  EXPECT_FALSE(search.best());
}

TEST(Search, goes_on_after_failures_only) {
  const SearchSpace space = plain_space();
  Search search(space, 9);
  while (const auto proposal = search.next()) search.tell_failed(proposal->number);
  EXPECT_EQ(search.evaluations(), 9U);
  EXPECT_FALSE(search.best());
}

}  // namespace
}  // namespace bulkhead

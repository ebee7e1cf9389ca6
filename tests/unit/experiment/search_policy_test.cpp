// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/search_policy.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "policies/reader.h"

namespace bulkhead {
namespace {

constexpr std::string_view kBase = R"({
  "bulkhead": 1, "name": "gen13",  // comments may stand anywhere
  "classes": {"gold": {"l3": "50%"}},
  "services": {
    "proxy": {"select": {"cgroup": "/proxy"}, "cpus": {"count": {"ccds": 2}},
              "l3": {"code": {"ways": 2}, "data": "75%"}, "bandwidth": {"memory": "10 GB/s", "slow": "50%"}},
    "batch": {"select": {"cgroup": "/batch"}, "class": "gold"},
    "rest": {"select": "others", "cpus": "rest"}}})";

std::string text_at(const std::string& service, const SearchPoint& point) {
  return policy_at(kBase, "base.json", service, point);
}

Service service_at(const std::string& service, const SearchPoint& point) {
  const Policy policy = require_policy(text_at(service, point), "found.json");
  return *std::ranges::find(policy.services, service, &Service::name);
}

std::string refusal(const std::string& service, const SearchPoint& point) {
  try {
    text_at(service, point);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid);
    return error.what();
  }
  return "not refused";
}

TEST(SearchPolicy, replaces_what_the_point_names) {
  const SearchPoint point{.ccds = 6, .ways = 12, .bandwidth = Rate{24'000'001'000}, .threads_per_core = 1};
  const Policy policy = require_policy(text_at("proxy", point), "found.json");
  EXPECT_EQ(policy.name, "gen13");
  EXPECT_EQ(policy.summary, "proxy: 6 CCDs, 12 ways, 24 GB/s, 1 thread per core");
  const Service& proxy = policy.services[0];
  EXPECT_EQ(proxy.cpus.count, 6U);
  EXPECT_EQ(proxy.cpus.threads_per_core, 1U);
  EXPECT_EQ(proxy.l3->data, CacheAmount{Ways{12}});
  EXPECT_FALSE(proxy.l3->code);
  EXPECT_EQ(proxy.bandwidth->memory, BandwidthAmount{Rate{24'000'001'000}});
  EXPECT_EQ(proxy.bandwidth->slow, BandwidthAmount{Percent{5'000}});
  EXPECT_FALSE(policy.services[2].l3);
}

TEST(SearchPolicy, leaves_everything_else_as_it_is) {
  const Service proxy = service_at("proxy", {.ccds = 6});
  EXPECT_EQ(proxy.cpus.count, 6U);
  EXPECT_EQ(proxy.l3->data, CacheAmount{Percent{7'500}});
  EXPECT_TRUE(proxy.l3->code);
  EXPECT_FALSE(proxy.cpus.threads_per_core);
}

TEST(SearchPolicy, narrows_cpus_that_are_a_word_or_not_mentioned) {
  const Service rest = service_at("rest", {.threads_per_core = 1});
  EXPECT_EQ(rest.cpus.choice, CpuChoice::rest);
  EXPECT_EQ(rest.cpus.threads_per_core, 1U);
  const Service batch = service_at("batch", {.threads_per_core = 1});
  EXPECT_EQ(batch.cpus.choice, CpuChoice::all);
  EXPECT_EQ(batch.cpus.threads_per_core, 1U);
}

TEST(SearchPolicy, writes_any_bandwidth) {
  for (const BandwidthAmount& amount : {BandwidthAmount{Unlimited{}}, BandwidthAmount{Percent{1'250}},
                                        BandwidthAmount{Rate{999'999'999'000}}, BandwidthAmount{Rate{1}}}) {
    EXPECT_EQ(service_at("rest", {.bandwidth = amount}).bandwidth->memory, amount);
  }
}

TEST(SearchPolicy, refuses_a_template_without_the_service) {
  EXPECT_EQ(refusal("prox", {.ccds = 6}), "policy 'gen13' has no service 'prox' to vary");
}

TEST(SearchPolicy, refuses_ccds_where_they_are_not_counted) {
  EXPECT_EQ(refusal("rest", {.ccds = 6}),
            "policy 'gen13', service 'rest': a search over CCDs needs \"cpus\": {\"count\": {\"ccds\": N}}");
}

TEST(SearchPolicy, refuses_to_change_a_class_that_others_share) {
  EXPECT_EQ(refusal("batch", {.ways = 4}),
            "policy 'gen13', service 'batch': its cache and bandwidth are those of class 'gold', which "
            "others share; a search needs them at the service itself");
}

}  // namespace
}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/search_policy.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

Policy base() {
  Policy policy;
  policy.name = "gen13";
  Service proxy;
  proxy.name = "proxy";
  proxy.cpus.choice = CpuChoice::counted;
  proxy.cpus.scope = CpuScope::ccds;
  proxy.cpus.count = 2;
  proxy.l3 = CacheWant{.data = Percent{7500}, .code = CacheAmount{Ways{2}}};
  Service rest;
  rest.name = "rest";
  policy.services = {proxy, rest};
  return policy;
}

std::string refusal(const Policy& policy, const std::string& service, const SearchPoint& point) {
  try {
    policy_at(policy, service, point);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid);
    return error.what();
  }
  return "not refused";
}

TEST(SearchPolicy, replaces_what_the_point_names) {
  const Policy policy = policy_at(
      base(), "proxy", {.ccds = 6, .ways = 12, .bandwidth = Rate{24'000'000'000}, .threads_per_core = 1});
  EXPECT_EQ(policy.name, "gen13-proxy");
  EXPECT_EQ(policy.summary, "proxy: 6 CCDs, 12 ways, 24 GB/s, 1 thread per core");
  const Service& proxy = policy.services[0];
  EXPECT_EQ(proxy.cpus.count, 6U);
  EXPECT_EQ(proxy.cpus.threads_per_core, 1U);
  EXPECT_EQ(proxy.l3->data, CacheAmount{Ways{12}});
  EXPECT_FALSE(proxy.l3->code);
  EXPECT_EQ(proxy.bandwidth->memory, BandwidthAmount{Rate{24'000'000'000}});
  EXPECT_FALSE(policy.services[1].l3);
}

TEST(SearchPolicy, leaves_everything_else_as_it_is) {
  const Policy policy = policy_at(base(), "proxy", {.ccds = 6});
  EXPECT_EQ(policy.services[0].cpus.count, 6U);
  EXPECT_EQ(policy.services[0].l3->data, CacheAmount{Percent{7500}});
  EXPECT_TRUE(policy.services[0].l3->code);
  EXPECT_FALSE(policy.services[0].bandwidth);
  EXPECT_FALSE(policy.services[0].cpus.threads_per_core);
}

TEST(SearchPolicy, refuses_a_template_without_the_service) {
  EXPECT_EQ(refusal(base(), "prox", {.ccds = 6}), "policy 'gen13' has no service 'prox' to vary");
}

TEST(SearchPolicy, refuses_ccds_where_they_are_not_counted) {
  EXPECT_EQ(refusal(base(), "rest", {.ccds = 6}),
            "policy 'gen13', service 'rest': a search over CCDs needs \"cpus\": {\"count\": {\"ccds\": N}}");
}

TEST(SearchPolicy, refuses_to_change_a_class_that_others_share) {
  Policy policy = base();
  policy.services[0].service_class = "gold";
  EXPECT_EQ(refusal(policy, "proxy", {.ways = 4}),
            "policy 'gen13', service 'proxy': its cache and bandwidth are those of class 'gold', which "
            "others share; "
            "a search needs them at the service itself");
  EXPECT_EQ(policy_at(policy, "proxy", {.ccds = 4}).services[0].cpus.count, 4U);
}

}  // namespace
}  // namespace bulkhead

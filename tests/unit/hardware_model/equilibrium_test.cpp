// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/equilibrium.h"

#include <gtest/gtest.h>

#include "simulator/hardware_model/generations.h"
#include "tests/unit/hardware_model/scenes.h"

namespace bulkhead::sim {
namespace {

class EquilibriumTest : public ::testing::Test {
 protected:
  std::vector<ServiceRates> rest(const Placement& placement) const {
    return at_rest(machine_, services_, placement, std::vector<Conditions>(2));
  }
  Placement cores_each(Control first, Control second) const {
    return two_crews(std::move(first), std::move(second), {4, CpuSet{0, 1, 4, 5}}, {4, CpuSet{2, 3, 6, 7}});
  }

  Machine machine_ = small_machine();
  std::vector<ServiceSpec> services_ = proxy_and_neighbours({}, 4);
};

TEST_F(EquilibriumTest, more_ways_never_slow_the_tenant) {
  double before = 0;
  for (unsigned ways = 1; ways <= 16; ++ways) {
    const double now = rest(cores_each(with_ways(machine_, 0, ways), with_ways(machine_, 15, 1)))[0].requests;
    EXPECT_GT(now, before) << ways;
    before = now;
  }
}

TEST_F(EquilibriumTest, a_bandwidth_limit_holds_and_slows_only_its_group) {
  Control limited = with_ways(machine_, 0, 8);
  const Control rest_of_ways = with_ways(machine_, 8, 8);
  const auto free = rest(cores_each(limited, rest_of_ways));
  for (CcdLimit& limit : limited) limit.bandwidth = 0.25e9;
  CacheWays caches(machine_);
  const unsigned proxy = caches.add_holder();
  const unsigned neighbours = caches.add_holder();
  const Placement placement = cores_each(limited, rest_of_ways);
  Rates rates(machine_, services_, placement, {proxy, neighbours});
  rates.solve(caches, std::vector<Conditions>(2));
  for (const Seat& seat : rates.seats()) {
    if (seat.crew != 0) continue;
    EXPECT_NEAR(seat.bytes, 0.25e9, 1);
  }
  const auto slowed = rest(placement);
  EXPECT_LT(slowed[0].requests, free[0].requests);
  EXPECT_GE(slowed[1].requests, free[1].requests);
}

TEST_F(EquilibriumTest, crews_of_a_group_share_its_bandwidth_limit) {
  Placement placement = cores_each(unlimited(machine_), unlimited(machine_));
  placement.crews[1].control = 0;
  for (CcdLimit& limit : placement.controls[0]) limit.bandwidth = 0.5e9;
  CacheWays caches(machine_);
  const std::vector<unsigned> holders{caches.add_holder(), caches.add_holder()};
  Rates rates(machine_, services_, placement, holders);
  const auto traffic = [&](unsigned crew) {
    double bytes = 0;
    for (const Seat& seat : rates.seats()) bytes += seat.crew == crew ? seat.bytes : 0;
    return bytes;
  };
  rates.solve(caches, std::vector<Conditions>(2));
  EXPECT_NEAR(traffic(0) + traffic(1), 2 * 0.5e9, 1);
  EXPECT_GT(traffic(1), 0.3e9);
  const double half = traffic(0);
  rates.solve(caches, std::vector<Conditions>{{}, {.offered = 1}});  // what one leaves is the other's
  EXPECT_GT(traffic(0), 1.4 * half);
  EXPECT_LE(traffic(0) + traffic(1), 2 * 0.5e9 + 1);
  rates.solve(caches,
              std::vector<Conditions>{{.offered = 1}, {}});  // and nobody could have more than all of it
  for (const Seat& seat : rates.seats()) EXPECT_LE(seat.capacity / seat.requests * seat.bytes, 0.5e9 + 1);
}

TEST_F(EquilibriumTest, traffic_stays_within_the_memory) {
  KernelShape shape = amd_12ccd();
  machine_ = machine_of(shape, {.socket_bandwidth = 2e9});
  services_ = proxy_and_neighbours({}, 12);
  CpuSet all = shape.all_cpus();
  CacheWays caches(machine_);
  const std::vector<unsigned> holders{caches.add_holder(), caches.add_holder()};
  Rates rates(machine_, services_, two_crews(unlimited(machine_), unlimited(machine_), {12, all}, {12, all}),
              holders);
  rates.solve(caches, std::vector<Conditions>(2));
  double bytes = 0;
  for (const Seat& seat : rates.seats()) bytes += seat.bytes;
  EXPECT_LT(bytes, 2e9);
  EXPECT_GT(bytes, 1.5e9);
  EXPECT_NEAR(rates.node_use(0), bytes / 2e9, 1e-6);
}

TEST_F(EquilibriumTest, serves_what_is_offered_while_it_fits) {
  const Placement placement = cores_each(with_ways(machine_, 0, 8), with_ways(machine_, 8, 8));
  const auto rates = at_rest(machine_, services_, placement, std::vector<Conditions>{{.offered = 100}, {}});
  EXPECT_NEAR(rates[0].requests, 100, 1e-4);
  EXPECT_NEAR(rates[0].busy, 100 / rates[0].capacity, 1e-6);
  EXPECT_NEAR(rates[1].busy, 1, 1e-6);
}

TEST_F(EquilibriumTest, a_sibling_of_the_same_service_helps_and_a_stranger_hurts) {
  const Control ways = with_ways(machine_, 0, 8);
  const Control others = with_ways(machine_, 8, 8);
  const Placement mixed = two_crews(ways, others, {4, CpuSet{0, 2, 4, 6}}, {4, CpuSet{1, 3, 5, 7}});
  const double whole_cores = rest(cores_each(ways, others))[0].capacity;
  EXPECT_NEAR(rest(mixed)[0].capacity / whole_cores, 0.97 / 1.03, 0.002);
}

TEST_F(EquilibriumTest, a_thread_does_more_while_its_sibling_rests) {
  services_[0].request_bytes = services_[1].request_bytes = 0;  // leaves the memory out of it
  const Placement mixed = two_crews(with_ways(machine_, 0, 8), with_ways(machine_, 8, 8),
                                    {4, CpuSet{0, 2, 4, 6}}, {4, CpuSet{1, 3, 5, 7}});
  const double busy = rest(mixed)[0].capacity;
  const auto rates = at_rest(machine_, services_, mixed, std::vector<Conditions>{{}, {.offered = 0}});
  EXPECT_NEAR(rates[0].capacity / busy, 0.75 / (0.5 * 0.97), 1e-6);
}

TEST_F(EquilibriumTest, memory_of_its_own_node_is_faster) {
  Placement placement =
      two_crews(unlimited(machine_), unlimited(machine_), {4, CpuSet{0, 1, 2, 3}}, {4, CpuSet{4, 5, 6, 7}});
  placement.crews[0].memory_nodes = {0};
  const double near = rest(placement)[0].requests;
  placement.crews[0].memory_nodes = {1};
  EXPECT_LT(rest(placement)[0].requests, near);
}

TEST_F(EquilibriumTest, whole_ccds_beat_masks_and_a_slice_stands_for_the_whole_host) {
  const KernelShape shape = epyc_9965(2);
  machine_ = machine_of(shape, {.node_distance = Parameters{}.node_distance});
  services_ = proxy_and_neighbours({}, 192);
  const CpuSet all = shape.all_cpus();
  const Control every = unlimited(machine_);
  const double shared = rest(two_crews(every, every, {192, all}, {192, all}))[0].requests;

  Placement whole = two_crews(every, every, {192, shape.cpus_of_node(0)}, {192, shape.cpus_of_node(1)});
  whole.crews[0].memory_nodes = {0};
  whole.crews[1].memory_nodes = {1};
  const CpuSet first_threads = CpuSet::range(0, 191);
  const Placement masks = two_crews(with_ways(machine_, 0, 12), with_ways(machine_, 12, 4),
                                    {192, first_threads}, {192, all - first_threads});
  const auto predicted = isolation_rows({});
  EXPECT_NEAR(rest(whole)[0].requests / shared, predicted[kNuma6Of12].proxy, 1e-6);
  EXPECT_NEAR(rest(masks)[0].requests / shared, predicted[kPqos1].proxy, 1e-6);
  EXPECT_GT(predicted[kNuma6Of12].proxy, predicted[kPqos1].proxy);
  EXPECT_GT(predicted[kPqos1].proxy, predicted[kPqos2].proxy);
}

}  // namespace
}  // namespace bulkhead::sim

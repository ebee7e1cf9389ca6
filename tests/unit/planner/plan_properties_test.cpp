// SPDX-License-Identifier: Apache-2.0
// What holds for every plan, tried on random policies and machines from a fixed seed.
#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

#include "controller/planner/plan_json.h"
#include "tests/unit/planner/hosts.h"

namespace bulkhead {
namespace {

constexpr unsigned kTries = 600;

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  unsigned below(unsigned count) { return static_cast<unsigned>(engine_() % count); }
  bool one_in(unsigned count) { return below(count) == 0; }
  std::mt19937& engine() { return engine_; }

 private:
  std::mt19937 engine_;
};

struct Setting {
  Policy policy;
  Machine machine;
  Capabilities capabilities;
  Tenants tenants;
};

Machine random_machine(Dice& dice) {
  Shape shape{.sockets = 1 + dice.below(2),
              .nodes_per_socket = 1 + dice.below(2),
              .ccds_per_node = 1 + dice.below(4),
              .cores_per_ccd = 1 + dice.below(8),
              .threads = 1 + dice.below(2)};
  return regular_machine(shape);
}

CpuWant random_cpus(Dice& dice, const Machine& machine) {
  CpuWant want;
  want.choice = static_cast<CpuChoice>(dice.below(4));
  want.scope = static_cast<CpuScope>(dice.below(5));
  const auto ccds = static_cast<unsigned>(machine.ccds.size());
  if (want.choice == CpuChoice::listed) {
    want.scope = CpuScope::ccds;
    for (unsigned left = 1 + dice.below(3); left != 0; --left) want.ids.insert(dice.below(ccds));
  }
  want.count = 1 + dice.below(4);
  if (dice.one_in(4)) want.within = CpuScope::nodes;
  if (dice.one_in(4)) want.cores_per_ccd = Percent{1 + dice.below(10'000)};
  if (dice.one_in(4)) want.threads_per_core = 1;
  return want;
}

CacheWant random_cache(Dice& dice, const Capabilities& capabilities) {
  CacheWant want;
  const auto amount = [&]() -> CacheAmount {
    switch (dice.below(8)) {
      case 0:
        return WayMask::run(dice.below(12), 1 + dice.below(6));
      case 1:
        return CacheSize{(1 + std::uint64_t{dice.below(24)}) << 20};
      case 2:
      case 3:
        return Percent{100 + dice.below(9000)};
      default:
        return Ways{1 + dice.below(8)};
    }
  };
  want.data = amount();
  if (capabilities.cdp && dice.one_in(2)) want.code = amount();
  return want;
}

Service random_service(Dice& dice, const std::string& name, const Setting& setting) {
  Service service = service_named(name);
  service.place = {.line = 1, .column = 1, .pointer = "/services/" + name};
  if (dice.one_in(2)) service.cpus = random_cpus(dice, setting.machine);
  service.exclusive_cpus = dice.one_in(4) && service.cpus.choice >= CpuChoice::listed;
  if (dice.one_in(2)) service.l3 = random_cache(dice, setting.capabilities);
  service.l3_exclusive = service.l3 && dice.one_in(3);
  const bool percent = setting.capabilities.memory->unit == BandwidthUnit::percent;
  if (dice.one_in(3)) {
    service.bandwidth.emplace();
    service.bandwidth->memory = percent ? BandwidthAmount(Percent{1 + dice.below(9999)})
                                        : BandwidthAmount(Rate{1 + std::uint64_t{dice.below(2'000'000'000)}});
  }
  service.assign = static_cast<Assign>(dice.below(3));
  return service;
}

Setting random_setting(unsigned seed) {
  Dice dice(seed);
  Setting setting;
  setting.machine = random_machine(dice);
  setting.capabilities =
      dice.one_in(2) ? amd_capabilities(setting.machine) : intel_capabilities(setting.machine);
  setting.capabilities.cdp = dice.one_in(4);
  setting.policy.name = "random";
  const unsigned services = 1 + dice.below(5);
  for (unsigned index = 0; index < services; ++index) {
    setting.policy.services.push_back(
        random_service(dice, std::string(1, static_cast<char>('a' + index)), setting));
  }
  if (dice.one_in(3)) {
    Service others = random_service(dice, "others", setting);
    others.select = {};
    others.cpus = {.choice = CpuChoice::rest};
    others.exclusive_cpus = false;
    others.assign = Assign::automatic;
    setting.policy.services.push_back(others);
  }
  if (dice.one_in(4)) {
    ForeignGroup group{.name = "foreign", .cpus = {}, .schemata = {}, .exclusive = dice.one_in(2)};
    for (const Ccd& ccd : setting.machine.ccds) {
      group.schemata[Resource::l3][ccd.id] = WayMask::run(dice.below(8), 1 + dice.below(4)).bits;
    }
    setting.tenants.groups.push_back(group);
  }
  return setting;
}

std::string outcome(const Setting& setting) {
  try {
    return to_json(make_plan(setting.policy, setting.machine, setting.capabilities, setting.tenants), "", {})
        .dump();
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::infeasible || error.code() == ErrorCode::unsupported)
        << error.what();
    return error.what();
  }
}

const Service& service_of(const Policy& policy, const std::string& name) {
  return *std::find_if(policy.services.begin(), policy.services.end(),
                       [&](const Service& service) { return service.name == name; });
}

void expect_owned_cpus_apart(const Setting& setting, const Plan& plan) {
  for (const ServiceEffect& owner : plan.services) {
    EXPECT_FALSE(owner.cpus.empty());
    EXPECT_TRUE(setting.machine.cpus.contains(owner.cpus));
    if (!owner.exclusive_cpus) continue;
    for (const ServiceEffect& other : plan.services) {
      EXPECT_FALSE(&other != &owner && owner.cpus.intersects(other.cpus)) << owner.service << other.service;
    }
    for (const CpusetPlan& cpuset : plan.cpusets) {
      EXPECT_FALSE(cpuset.service != owner.service && cpuset.cpus.intersects(owner.cpus));
    }
  }
}

WayMask ways_on(const ControlGroup& group, CacheId ccd) {
  WayMask ways;
  for (const Resource resource : {Resource::l3, Resource::l3_code, Resource::l3_data}) {
    const auto line = group.schemata.find(resource);
    if (line == group.schemata.end() || line->second.count(ccd) == 0) continue;
    ways = ways | WayMask{line->second.at(ccd)};
  }
  return ways;
}

void expect_valid_values(const Setting& setting, const ControlGroup& group) {
  for (const auto& [resource, values] : group.schemata) {
    for (const auto& [ccd, value] : values) {
      if (resource == Resource::memory_bandwidth) {
        EXPECT_GE(value, std::max(setting.capabilities.memory->min, 1U));
        EXPECT_LE(value, setting.capabilities.memory->unlimited);
        EXPECT_EQ(value % setting.capabilities.memory->granularity, 0U);
        continue;
      }
      const WayMask mask{value};
      EXPECT_GE(mask.count(), setting.capabilities.l3->min_ways);
      EXPECT_TRUE(setting.capabilities.l3->full.contains(mask));
      EXPECT_TRUE(setting.capabilities.l3->sparse || mask.contiguous()) << mask.to_hex();
    }
  }
}

void expect_owned_ways_apart(const Setting& setting, const Plan& plan) {
  CpuSet default_cpus = setting.machine.cpus;
  for (const ServiceEffect& effect : plan.services) {
    if (effect.exclusive_cpus) default_cpus -= effect.cpus;
  }
  for (const ControlGroup& owner : plan.groups) {
    if (owner.services.empty() || !service_of(setting.policy, owner.services[0]).l3_exclusive) continue;
    if (owner.name.empty() && service_of(setting.policy, owner.services[0]).select.kind != SelectKind::others)
      continue;
    for (const Ccd& ccd : setting.machine.ccds) {
      const WayMask owned = ways_on(owner, ccd.id);
      for (const ControlGroup& other : plan.groups) {
        EXPECT_FALSE(&other != &owner && owned.intersects(ways_on(other, ccd.id)));
      }
      for (const ForeignGroup& foreign : setting.tenants.groups) {
        const WayMask theirs{foreign.schemata.at(Resource::l3).at(ccd.id)};
        const bool may_meet = foreign.exclusive || default_cpus.intersects(ccd.cpus);
        EXPECT_FALSE(may_meet && owned.intersects(theirs));
      }
      if (owned.empty() || owner.name.empty() || !default_cpus.intersects(ccd.cpus)) continue;
      ASSERT_NE(plan.find_group(""), nullptr);
      EXPECT_FALSE(ways_on(*plan.find_group(""), ccd.id).empty())
          << "others keep the owner's ways of CCD " << ccd.id.value;
    }
  }
}

TEST(PlanProperties, hold_for_random_policies_and_machines) {
  unsigned planned = 0;
  for (unsigned seed = 1; seed <= kTries; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Setting setting = random_setting(seed);
    Plan plan;
    try {
      plan = make_plan(setting.policy, setting.machine, setting.capabilities, setting.tenants);
    } catch (const Error&) {
      continue;
    }
    ++planned;
    expect_owned_cpus_apart(setting, plan);
    expect_owned_ways_apart(setting, plan);
    for (const ControlGroup& group : plan.groups) expect_valid_values(setting, group);
    if (HasFailure()) return;
  }
  EXPECT_GE(planned, kTries / 4) << "too few of the random policies can be planned to prove anything";
}

TEST(PlanProperties, do_not_depend_on_the_order_of_the_machines_parts) {
  for (unsigned seed = 1; seed <= kTries; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Setting setting = random_setting(seed);
    const std::string once = outcome(setting);
    ASSERT_EQ(outcome(setting), once);
    Dice dice(seed);
    std::shuffle(setting.machine.cores.begin(), setting.machine.cores.end(), dice.engine());
    std::shuffle(setting.machine.ccds.begin(), setting.machine.ccds.end(), dice.engine());
    std::shuffle(setting.machine.nodes.begin(), setting.machine.nodes.end(), dice.engine());
    std::shuffle(setting.machine.sockets.begin(), setting.machine.sockets.end(), dice.engine());
    ASSERT_EQ(outcome(setting), once);
  }
}

}  // namespace
}  // namespace bulkhead

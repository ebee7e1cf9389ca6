// SPDX-License-Identifier: Apache-2.0
// An engine where systemd owns the cgroups.
#include <gmock/gmock.h>
#include <map>
#include <set>

#include "controller/engine/targets.h"
#include "tests/unit/engine/engine_fixture.h"

namespace bulkhead {
namespace {

using ::testing::ElementsAre;
using testing::EngineTest;
using ::testing::IsEmpty;

// Keeps limits of units, whether they run or not, and gives them to the cgroups of those that do.
class ModelUnits : public UnitManager {
 public:
  std::optional<std::string> control_group(const std::string& unit) override {
    const auto found = running.find(unit);
    return found == running.end() ? std::nullopt : std::optional(found->second);
  }
  UnitLimits limits(const std::string& unit) override {
    if (!known.contains(unit)) throw Error(ErrorCode::not_found, "there is no unit " + unit);
    return known.at(unit);
  }
  std::string place(const std::string& unit) override {
    return unit == "proxy.service" ? "/proxy.slice/proxy.service" : "/system.slice/" + unit;
  }
  void set_limits(const std::string& unit, const UnitLimits& limits) override {
    known.at(unit) = limits;
    if (running.contains(unit)) give(running.at(unit), limits);
  }
  void forget_lifted(const std::set<std::string>& units) override { forgotten = units; }

  void give(const std::string& path, const UnitLimits& limits) const {
    const std::string root = "/sys/fs/cgroup";
    for (const std::string& above : ancestors_of(path)) {
      host->write(root + (above == "/" ? "" : above) + "/cgroup.subtree_control", "+cpuset\n");
    }
    host->write(root + path + "/cpuset.cpus", limits.cpus.to_list() + '\n');
    host->write(root + path + "/cpuset.mems", limits.memory_nodes.to_list() + '\n');
  }

  sim::KernelModel* host = nullptr;
  std::map<std::string, std::string> running;  // unit -> cgroup
  std::map<std::string, UnitLimits> known;
  std::set<std::string> forgotten;
};

constexpr const char* kProxyOwnsNode0 = R"({
  "bulkhead": 1, "name": "proxy-node-0",
  "services": {
    "proxy": {"select": {"unit": "proxy.service"}, "cpus": {"nodes": "0"}, "exclusive_cpus": true},
    "others": {"select": "others", "cpus": "rest"}
  }
})";

class Units : public EngineTest {
 protected:
  Units() {
    units_.host = &kernel_->outside();
    start_unit("cron", "/system.slice");
    start_unit("proxy", "/proxy.slice");
  }

  void start_unit(const std::string& name, const std::string& slice) {
    const std::string unit = name + ".service";
    units_.running[slice.substr(1)] = slice;
    units_.running[unit] = slice + '/' + unit;
    for (const std::string& known : {slice.substr(1), unit}) {
      units_.host->make_directory(cgroup_mount_ + units_.running[known]);
      units_.known.try_emplace(known);
      if (units_.known[known] != UnitLimits{}) units_.give(units_.running[known], units_.known[known]);
    }
    processes_[name] =
        units_.host->spawn({.name = name, .executable = "/usr/bin/" + name, .cgroup = units_.running[unit]});
  }

  // Its slice goes with it.
  void stop_unit(const std::string& name) {
    const std::string path = units_.running[name + ".service"];
    const std::string slice = ancestors_of(path).back();
    units_.host->write(cgroup_mount_ + "/cgroup.procs", std::to_string(processes_[name]) + '\n');
    for (const std::string& gone : {path, slice}) units_.host->remove_directory(cgroup_mount_ + gone);
    units_.running.erase(name + ".service");
    units_.running.erase(slice.substr(1));
  }

  template <class Act>
  auto run(Act&& act) {
    Store store(directory_ + "/run");
    Engine engine(*files_, &units_, store, machine_);
    return act(engine);
  }
  std::vector<std::string> apply_steps() {
    return limits_in(run([](Engine& engine) { return engine.apply({kProxyOwnsNode0, "policy.json"}); }));
  }
  std::vector<std::string> reset_steps() {
    return limits_in(run([](Engine& engine) { return engine.reset(); }));
  }
  static std::vector<std::string> limits_in(const Outcome& outcome) {
    std::vector<std::string> found;
    for (const Step& step : outcome.steps) {
      if (step.kind == StepKind::set_unit) found.push_back(describe(step));
    }
    return found;
  }

  ModelUnits units_;
  std::map<std::string, unsigned> processes_;
};

TEST_F(Units, are_limited_and_lifted_wherever_their_cgroups_are) {
  EXPECT_THAT(
      apply_steps(),
      ElementsAre(
          "proxy.service: AllowedCPUs=0-11 AllowedMemoryNodes= (was AllowedCPUs= AllowedMemoryNodes=)",
          "system.slice: AllowedCPUs=12-23 AllowedMemoryNodes= (was AllowedCPUs= AllowedMemoryNodes=)"));
  EXPECT_THAT(apply_steps(), IsEmpty());
  EXPECT_EQ(reset_steps().size(), 2U);
  EXPECT_EQ(units_.known["proxy.service"], UnitLimits{});
  EXPECT_EQ(units_.known["system.slice"], UnitLimits{});
  EXPECT_THAT(units_.forgotten, ElementsAre("proxy.service", "system.slice"));
}

TEST_F(Units, keep_their_limits_while_they_are_stopped_and_lose_them_with_the_reset) {
  apply_steps();
  stop_unit("proxy");
  stop_unit("cron");
  EXPECT_THAT(apply_steps(), IsEmpty());
  start_unit("proxy", "/proxy.slice");
  EXPECT_EQ(read(cgroup_mount_ + "/proxy.slice/proxy.service/cpuset.cpus.effective"), "0-11\n");
  EXPECT_THAT(apply_steps(), IsEmpty());
  stop_unit("proxy");
  EXPECT_THAT(
      reset_steps(),
      ElementsAre(
          "proxy.service: AllowedCPUs= AllowedMemoryNodes= (was AllowedCPUs=0-11 AllowedMemoryNodes=)",
          "system.slice: AllowedCPUs= AllowedMemoryNodes= (was AllowedCPUs=12-23 AllowedMemoryNodes=)"));
  EXPECT_EQ(units_.known["proxy.service"], UnitLimits{});
}

TEST_F(Units, that_are_no_more_are_not_missed) {
  apply_steps();
  stop_unit("proxy");
  units_.known.erase("proxy.service");
  EXPECT_EQ(reset_steps().size(), 1U);
  EXPECT_EQ(units_.known["system.slice"], UnitLimits{});
}

}  // namespace
}  // namespace bulkhead

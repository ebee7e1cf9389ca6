// SPDX-License-Identifier: Apache-2.0
// On the modelled kernel.
#include "cgroup/cgroup_actuator.h"

#include <gtest/gtest.h>

#include "tests/support/fixed_file_system.h"
#include "tests/support/host_snapshot.h"
#include "tests/support/model_file_system.h"

namespace bulkhead {
namespace {

using testing::error_of;

Step step(StepKind kind, const std::string& target, const std::string& text = "",
          const std::string& before = "") {
  return {.kind = kind, .target = target, .text = text, .before = before};
}

struct Host {
  explicit Host(sim::KernelShape shape, UnitManager* units = nullptr)
      : kernel(std::move(shape)), files(kernel), actuator(files, units) {}

  std::string content(const std::string& path) { return kernel.outside().read("/sys/fs/cgroup" + path).text; }
  void make(const std::string& path) {
    ASSERT_EQ(kernel.outside().make_directory("/sys/fs/cgroup" + path), 0);
  }
  void put(const std::string& path, const std::string& text) {
    ASSERT_EQ(kernel.outside().write("/sys/fs/cgroup" + path, text), 0) << path;
  }
  unsigned spawn(const std::string& cgroup) { return kernel.outside().spawn({.cgroup = cgroup}); }

  sim::ScriptedKernel kernel;
  testing::ModelFileSystem files;
  CgroupActuator actuator;
};

class CgroupV2Test : public ::testing::Test {
 protected:
  CgroupV2Test() {
    host_.make("/a");
    host_.put("/cgroup.subtree_control", "+cpuset\n");
  }
  Host host_{sim::amd_12ccd(2)};
  CgroupActuator& actuator_ = host_.actuator;
};

TEST_F(CgroupV2Test, confines_and_undoes) {
  const unsigned process = host_.spawn("/");
  const std::string before = testing::snapshot(host_.kernel.outside());
  Step move = step(StepKind::move_processes, "/b");
  move.tasks = {{process, "/"}, {4'000'000, "/"}};
  const std::vector<Step> steps{step(StepKind::make_cgroup, "/b"),
                                step(StepKind::write_cpuset_cpus, "/b", "4-7"),
                                step(StepKind::write_cpuset_mems, "/b", "0"),
                                step(StepKind::write_partition, "/b", "root", "member"), move};
  for (const Step& one : steps) actuator_.apply(one);
  const auto seen = actuator_.observe({"/b", "/gone"});
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].effective_cpus, CpuSet::range(4, 7));
  EXPECT_EQ(seen[0].partition, "root");
  for (int round = 0; round < 2; ++round) {
    for (auto one = steps.rbegin(); one != steps.rend(); ++one) actuator_.undo(*one);
    EXPECT_EQ(testing::snapshot(host_.kernel.outside()), before);
  }
}

TEST_F(CgroupV2Test, an_invalid_partition_is_a_failure_with_the_kernels_reason) {
  EXPECT_EQ(error_of([&] { actuator_.apply(step(StepKind::write_partition, "/a", "root", "member")); }),
            "refused: the kernel takes partition 'root' of /a but calls it invalid "
            "(/sys/fs/cgroup/a/cpuset.cpus.partition; the kernel says: cpuset.cpus is empty)");
  actuator_.undo(step(StepKind::write_partition, "/a", "root", "member"));
  EXPECT_EQ(host_.content("/a/cpuset.cpus.partition"), "member\n");
}

TEST_F(CgroupV2Test, cpus_that_the_machine_lacks) {
  EXPECT_EQ(error_of([&] { actuator_.apply(step(StepKind::write_cpuset_cpus, "/a", "99")); }),
            "refused: cannot write '99': it names CPUs that the machine lacks, or that an exclusive cpuset "
            "holds; all "
            "are 0-23 (/sys/fs/cgroup/a/cpuset.cpus: Numerical result out of range)");
}

TEST_F(CgroupV2Test, a_cpuset_with_processes_is_emptied_through_its_parent) {
  host_.spawn("/a");
  actuator_.apply(step(StepKind::write_cpuset_cpus, "/a", "0-3"));
  actuator_.undo(step(StepKind::write_cpuset_cpus, "/a", "0-3", ""));
  EXPECT_EQ(host_.content("/a/cpuset.cpus"), "\n");
  EXPECT_EQ(host_.content("/a/cpuset.cpus.effective"), "0-23\n");
  EXPECT_EQ(actuator_.take_notes(), std::vector<std::string>{});
}

TEST_F(CgroupV2Test, a_cpuset_with_processes_beside_a_confined_one_names_everything) {
  host_.make("/other");
  host_.put("/other/cpuset.cpus", "8-9\n");
  host_.spawn("/a");
  actuator_.apply(step(StepKind::write_cpuset_cpus, "/a", "0-3"));
  actuator_.undo(step(StepKind::write_cpuset_cpus, "/a", "0-3", ""));
  EXPECT_EQ(host_.content("/a/cpuset.cpus"), "0-23\n");
  EXPECT_EQ(host_.content("/other/cpuset.cpus"), "8-9\n") << "another's settings are never dropped";
  EXPECT_EQ(
      actuator_.take_notes(),
      (std::vector<std::string>{
          "this kernel does not let cpuset.cpus of /a be emptied while processes are in it, so it names "
          "everything instead, which has the same effect"}));
  host_.kernel.clear_log();
  actuator_.undo(step(StepKind::write_cpuset_cpus, "/a", "0-3", ""));
  EXPECT_EQ(host_.content("/a/cpuset.cpus"), "0-23\n");
}

TEST_F(CgroupV2Test, cpuset_is_not_enabled_where_children_could_hold_no_processes) {
  host_.make("/a/b");
  host_.spawn("/a");
  EXPECT_EQ(error_of([&] { actuator_.apply(step(StepKind::enable_cpuset, "/a")); }),
            "unsupported: cpuset cannot be enabled below /a: 1 process is in it beside its child cgroups, "
            "which could "
            "hold no processes then; move that into a child cgroup, or confine /a as a whole "
            "(/sys/fs/cgroup/a/cgroup.subtree_control)");
  EXPECT_EQ(host_.content("/a/cgroup.subtree_control"), "\n");
}

TEST_F(CgroupV2Test, cpuset_is_enabled_step_by_step) {
  host_.make("/a/b");
  host_.make("/a/b/c");
  EXPECT_EQ(error_of([&] { actuator_.apply(step(StepKind::enable_cpuset, "/a/b")); }),
            "unsupported: cpuset cannot be enabled below /a/b: the subtree_control of /a lacks cpuset "
            "(/sys/fs/cgroup/a/b/cgroup.subtree_control)");
  EXPECT_EQ(error_of([&] { actuator_.apply(step(StepKind::write_cpuset_cpus, "/a/b", "0")); }),
            "conflict: cannot open: cpuset is not enabled in the subtree_control of /a "
            "(/sys/fs/cgroup/a/b/cpuset.cpus: No such file or directory)");
  EXPECT_FALSE(actuator_.observe({"/a/b"})[0].controlled);
  actuator_.apply(step(StepKind::enable_cpuset, "/a"));
  EXPECT_TRUE(actuator_.observe({"/a/b"})[0].controlled);
  actuator_.undo(step(StepKind::enable_cpuset, "/a"));
  EXPECT_FALSE(actuator_.observe({"/a/b"})[0].controlled);
}

TEST_F(CgroupV2Test, a_cgroup_that_another_program_made_is_not_removed) {
  const Step make = step(StepKind::make_cgroup, "/a");
  EXPECT_EQ(
      error_of([&] { actuator_.apply(make); }),
      "conflict: cannot make the directory: another program has made it meanwhile (/sys/fs/cgroup/a: File "
      "exists)");
  actuator_.undo(make);
  EXPECT_NE(host_.content("/a/cgroup.controllers"), "");
}

TEST_F(CgroupV2Test, processes_forked_into_a_cgroup_of_ours_leave_it_with_the_undo) {
  actuator_.apply(step(StepKind::make_cgroup, "/b"));
  const unsigned late = host_.spawn("/b");
  actuator_.undo(step(StepKind::make_cgroup, "/b"));
  EXPECT_EQ(host_.content("/b/cgroup.procs"), "");
  EXPECT_NE(host_.content("/cgroup.procs").find(std::to_string(late)), std::string::npos);
}

class FakeUnits : public UnitManager {
 public:
  std::optional<std::string> control_group(const std::string& unit) override {
    return unit == "web.service" ? std::optional<std::string>("/web.service") : std::nullopt;
  }
  UnitLimits limits(const std::string&) override { return now; }
  std::string place(const std::string& unit) override { return '/' + unit; }
  void set_limits(const std::string&, const UnitLimits& wanted) override {
    now = wanted;
    calls.push_back(to_text(wanted));
  }
  void forget_lifted(const std::set<std::string>& units) override {
    for (const std::string& unit : units) calls.push_back("forget " + unit);
    if (!refusal.empty()) throw Error(ErrorCode::refused, refusal);
  }
  UnitLimits now;
  std::string refusal;
  std::vector<std::string> calls;
};

TEST(CgroupUnits, limits_go_through_systemd_and_are_widened_before_they_go) {
  FakeUnits units;
  Host host(sim::amd_12ccd(2), &units);
  host.make("/web.service");
  host.make("/web.service/inside");
  EXPECT_EQ(host.actuator.observe({"/web.service"})[0].unit, "web.service");
  EXPECT_EQ(host.actuator.observe({"/web.service/inside"})[0].unit, "");
  const Step limit = step(StepKind::set_unit, "web.service", "AllowedCPUs=0-3 AllowedMemoryNodes=0",
                          "AllowedCPUs= AllowedMemoryNodes=");
  host.actuator.apply(limit);
  host.actuator.undo(limit);
  host.actuator.undo(limit);
  EXPECT_EQ(units.calls, (std::vector<std::string>{"AllowedCPUs=0-3 AllowedMemoryNodes=0",
                                                   "AllowedCPUs=0-23 AllowedMemoryNodes=0-1",
                                                   "AllowedCPUs= AllowedMemoryNodes="}));
}

TEST(CgroupUnits, limits_are_set_again_where_only_the_cgroup_has_lost_them) {
  FakeUnits units;
  units.now = {.cpus = {0, 1}};
  Host host(sim::amd_12ccd(2), &units);
  host.actuator.apply(step(StepKind::set_unit, "web.service",
                           "AllowedCPUs=0-1 AllowedMemoryNodes=", "AllowedCPUs=0-5 AllowedMemoryNodes="));
  EXPECT_EQ(units.calls, std::vector<std::string>{"AllowedCPUs=0-1 AllowedMemoryNodes="});
}

TEST(CgroupUnits, what_systemd_keeps_of_lifted_limits_is_removed_once_at_the_end) {
  FakeUnits units;
  Host host(sim::amd_12ccd(2), &units);
  const Step limit = step(StepKind::set_unit, "web.service",
                          "AllowedCPUs=0-3 AllowedMemoryNodes=", "AllowedCPUs= AllowedMemoryNodes=");
  host.actuator.settle();
  EXPECT_EQ(units.calls, std::vector<std::string>{});
  host.actuator.undo(limit);  // which a crashed undo had begun
  host.actuator.settle();
  host.actuator.settle();
  EXPECT_EQ(units.calls, std::vector<std::string>{"forget web.service"});
  EXPECT_EQ(host.actuator.take_notes(), std::vector<std::string>{});
  units.refusal = "Said no.";
  host.actuator.undo(limit);
  host.actuator.settle();
  EXPECT_EQ(
      host.actuator.take_notes(),
      std::vector<std::string>{"systemd keeps files that say of units that their limits were taken away, "
                               "until the next boot: Said no."});
}

TEST(CgroupV1, explains_its_rules) {
  Host host(sim::cgroup_v1());
  CgroupActuator& actuator = host.actuator;
  ASSERT_EQ(actuator.hierarchy().version, CgroupVersion::v1);
  const std::string root = actuator.hierarchy().mount_point;
  actuator.apply(step(StepKind::make_cgroup, "/a"));
  Step move = step(StepKind::move_processes, "/a");
  const unsigned process = host.kernel.outside().spawn({});
  move.tasks[process] = "/";
  EXPECT_EQ(error_of([&] { actuator.apply(move); }),
            "refused: cannot write '" + std::to_string(process) +
                "': /a needs CPUs and memory nodes of its own first (" + root +
                "/a/cgroup.procs: No space left on device)");
  actuator.apply(step(StepKind::write_cpuset_cpus, "/a", "4-7"));
  actuator.apply(step(StepKind::write_cpuset_mems, "/a", "0"));
  actuator.apply(move);
  EXPECT_EQ(actuator.observe({"/a"})[0].effective_cpus, CpuSet::range(4, 7));
  actuator.apply(step(StepKind::make_cgroup, "/a/b"));
  EXPECT_EQ(
      error_of([&] { actuator.apply(step(StepKind::write_cpuset_cpus, "/a/b", "0-5")); }),
      "refused: cannot write '0-5': on cgroup v1 a cpuset must be a part of its parent's, and /a has 4-7 (" +
          root + "/a/b/cpuset.cpus: Permission denied)");
  actuator.apply(step(StepKind::write_cpuset_cpus, "/a/b", "4-5"));
  EXPECT_EQ(
      error_of([&] { actuator.apply(step(StepKind::write_cpuset_cpus, "/a", "6-7")); }),
      "refused: cannot write '6-7': on cgroup v1 a cpuset must hold those of its children, and a child of /a "
      "uses CPUs that this takes away (" +
          root + "/a/cpuset.cpus: Device or resource busy)");
  EXPECT_EQ(
      error_of([&] { actuator.apply(step(StepKind::write_partition, "/a", "root")); }),
      "unsupported: partition 'root' of /a needs cgroup v2: boot with systemd.unified_cgroup_hierarchy=1");
}

}  // namespace
}  // namespace bulkhead

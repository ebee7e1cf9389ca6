// SPDX-License-Identifier: Apache-2.0
// On the modelled kernel, both before and after tasks took lists.
#include "controller/resctrl/resctrl_actuator.h"

#include <cerrno>
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
  explicit Host(sim::KernelShape shape) : kernel(std::move(shape)), files(kernel), actuator(files, {3, 0}) {}

  std::string content(const std::string& path) {
    return kernel.outside().read("/sys/fs/resctrl/" + path).text;
  }
  std::string group_of(unsigned task) {
    return kernel.outside().read("/proc/" + std::to_string(task) + "/cpu_resctrl_groups").text;
  }
  std::size_t writes(const std::string& path) {
    std::size_t count = 0;
    for (const auto& entry : kernel.log()) count += entry.path == "/sys/fs/resctrl/" + path ? 1 : 0;
    return count;
  }
  std::string state() { return testing::snapshot(kernel.outside()); }

  sim::ScriptedKernel kernel;
  testing::ModelFileSystem files;
  ResctrlActuator actuator;
};

class ResctrlActuatorTest : public ::testing::TestWithParam<sim::Generation> {
 protected:
  Host host_{sim::with(sim::amd_12ccd(2), GetParam())};
  ResctrlActuator& actuator_ = host_.actuator;
};
INSTANTIATE_TEST_SUITE_P(Kernels, ResctrlActuatorTest,
                         ::testing::Values(sim::Generation::linux_6_1, sim::Generation::linux_6_12,
                                           sim::Generation::linux_7));

TEST_P(ResctrlActuatorTest, makes_and_observes_groups) {
  actuator_.apply(step(StepKind::make_group, "bulkhead.web"));
  actuator_.apply(step(StepKind::make_group, "bulkhead.web/mon_groups/bulkhead.m"));
  actuator_.apply(step(StepKind::write_schemata, "bulkhead.web", "L3:0=f;3=ff\nMB:0=16\n"));
  actuator_.apply(step(StepKind::write_cpus, "bulkhead.web", "0-3"));
  actuator_.apply(step(StepKind::write_cpus, "bulkhead.web/mon_groups/bulkhead.m", "1"));
  const auto groups = actuator_.observe();
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].name, "");
  EXPECT_FALSE(groups[0].cpus.intersects(CpuSet::range(0, 3)));
  EXPECT_EQ(groups[1].name, "bulkhead.web");
  EXPECT_EQ(groups[1].cpus, CpuSet::range(0, 3));
  EXPECT_EQ(groups[1].schemata.at(Resource::l3).at(CacheId{3}), 0xffU);
  EXPECT_EQ(groups[1].schemata.at(Resource::memory_bandwidth).at(CacheId{0}), 16U);
  EXPECT_FALSE(groups[1].exclusive);
  EXPECT_EQ(groups[1].monitoring,
            (std::vector<ObservedMonitoringGroup>{{.name = "bulkhead.m", .cpus = {1}}}));
  EXPECT_EQ(host_.writes("bulkhead.web/schemata"), 1U);
}

TEST_P(ResctrlActuatorTest, every_step_is_undone_and_a_second_undo_writes_nothing) {
  const unsigned task = host_.kernel.outside().spawn({});
  const std::string before = host_.state();
  Step move = step(StepKind::move_tasks, "bulkhead.web/mon_groups/bulkhead.m");
  move.tasks[task] = "";
  const std::string unlimited = actuator_.capabilities("amd").memory->unlimited == 2048 ? "2048" : "4096";
  const std::vector<Step> steps{
      step(StepKind::make_group, "bulkhead.web"),
      step(StepKind::make_group, "bulkhead.web/mon_groups/bulkhead.m"),
      step(StepKind::write_schemata, "", "L3:0=ff00\nMB:1=8\n", "L3:0=ffff\nMB:1=" + unlimited + "\n"),
      step(StepKind::write_cpus, "bulkhead.web", "0-3", ""),
      move,
  };
  for (const Step& one : steps) actuator_.apply(one);
  EXPECT_EQ(host_.group_of(task), "res:bulkhead.web\nmon:bulkhead.m\n") << "moved through its group";
  for (auto one = steps.rbegin(); one != steps.rend(); ++one) actuator_.undo(*one);
  EXPECT_EQ(host_.state(), before);
  host_.kernel.clear_log();
  for (auto one = steps.rbegin(); one != steps.rend(); ++one) actuator_.undo(*one);
  EXPECT_EQ(host_.state(), before);
  for (const auto& entry : host_.kernel.log()) EXPECT_NE(entry.error, 0) << entry.path << ' ' << entry.text;
}

TEST_P(ResctrlActuatorTest, a_removed_group_comes_back_as_it_was) {
  const unsigned task = host_.kernel.outside().spawn({});
  actuator_.apply(step(StepKind::make_group, "bulkhead.old"));
  actuator_.apply(step(StepKind::write_schemata, "bulkhead.old", "L3:0=f0f\n"));
  actuator_.apply(step(StepKind::write_cpus, "bulkhead.old", "2-5"));
  Step move = step(StepKind::move_tasks, "bulkhead.old");
  move.tasks[task] = "";
  actuator_.apply(move);
  Step remove = step(StepKind::remove_group, "bulkhead.old");
  remove.image = {
      .schemata = host_.content("bulkhead.old/schemata"), .cpus = "2-5", .tasks = {task, 4'000'000}};
  const std::string before = host_.state();
  actuator_.apply(remove);
  EXPECT_EQ(host_.content("bulkhead.old/tasks"), "");
  actuator_.undo(remove);
  EXPECT_EQ(host_.state(), before);
  actuator_.undo(remove);
  EXPECT_EQ(host_.state(), before);
}

TEST_P(ResctrlActuatorTest, moves_the_living_past_the_dead) {
  actuator_.apply(step(StepKind::make_group, "bulkhead.web"));
  Step move = step(StepKind::move_tasks, "bulkhead.web");
  std::vector<unsigned> living;
  for (int i = 0; i < 6; ++i) {
    const unsigned task = host_.kernel.outside().spawn({});
    move.tasks[task] = "";
    if (i % 2 == 0) {
      host_.kernel.outside().end(task);
    } else {
      living.push_back(task);
    }
  }
  actuator_.apply(move);
  EXPECT_EQ(actuator_.tasks_of("bulkhead.web"), living);
}

TEST_P(ResctrlActuatorTest, takes_lists_of_tasks_where_the_kernel_does) {
  actuator_.apply(step(StepKind::make_group, "bulkhead.web"));
  Step move = step(StepKind::move_tasks, "bulkhead.web");
  for (int i = 0; i < 1200; ++i) move.tasks[host_.kernel.outside().spawn({})] = "";
  actuator_.apply(move);
  EXPECT_EQ(actuator_.tasks_of("bulkhead.web").size(), 1200U);
  // 6.1 refuses the one list that is tried.
  EXPECT_EQ(host_.writes("bulkhead.web/tasks"), GetParam() == sim::Generation::linux_6_1 ? 1201U : 3U);
}

TEST_P(ResctrlActuatorTest, an_unknown_domain_is_explained_since_the_kernel_is_silent) {
  actuator_.apply(step(StepKind::make_group, "bulkhead.web"));
  EXPECT_EQ(
      error_of([&] { actuator_.apply(step(StepKind::write_schemata, "bulkhead.web", "L3:0=f;99=f\n")); }),
      "refused: cannot write 'L3:0=f;99=f': the kernel gives no reason, which it does when it does not know "
      "a domain; here L3 99 (/sys/fs/resctrl/bulkhead.web/schemata: Invalid argument)");
}

TEST_P(ResctrlActuatorTest, refusals_carry_the_kernels_words) {
  actuator_.apply(step(StepKind::make_group, "bulkhead.web"));
  EXPECT_EQ(
      error_of([&] { actuator_.apply(step(StepKind::write_schemata, "bulkhead.web", "L3:0=1ffff\n")); }),
      "refused: cannot write 'L3:0=1ffff' (/sys/fs/resctrl/bulkhead.web/schemata: Invalid argument; the "
      "kernel says: Mask out of range)");
  EXPECT_EQ(
      error_of([&] { actuator_.apply(step(StepKind::write_cpus, "bulkhead.web", "99")); }),
      "refused: cannot write '99' (/sys/fs/resctrl/bulkhead.web/cpus_list: Numerical result out of range; "
      "the kernel says: Bad CPU list/mask)");
}

TEST_P(ResctrlActuatorTest, out_of_closids) {
  for (int i = 1; i < 16; ++i) actuator_.apply(step(StepKind::make_group, "g" + std::to_string(i)));
  EXPECT_EQ(
      error_of([&] { actuator_.apply(step(StepKind::make_group, "bulkhead.web")); }),
      "refused: cannot make the directory (/sys/fs/resctrl/bulkhead.web: No space left on device; the kernel "
      "says: Out of CLOSIDs)");
}

TEST_P(ResctrlActuatorTest, limbo_is_waited_for_and_then_explained) {
  host_.kernel.add_fault(
      {.operation = sim::Operation::make_directory, .error = EBUSY, .status = "Out of RMIDs"});
  actuator_.apply(step(StepKind::make_group, "bulkhead.web"));
  host_.kernel.clear_script();
  host_.kernel.add_fault({.operation = sim::Operation::make_directory,
                          .error = EBUSY,
                          .status = "Out of RMIDs",
                          .always = true});
  EXPECT_EQ(
      error_of([&] { actuator_.apply(step(StepKind::make_group, "bulkhead.two")); }),
      "refused: cannot make the directory: of 256 RMIDs all free ones still count cache lines of groups "
      "removed before (limbo), and after 3 attempts none is clean: wait, remove monitoring groups, or raise "
      "info/L3_MON/max_threshold_occupancy (/sys/fs/resctrl/bulkhead.two: Device or resource busy; the "
      "kernel says: Out of RMIDs)");
}

TEST_P(ResctrlActuatorTest, out_of_rmids_says_how_many_there_are) {
  host_.kernel.add_fault(
      {.operation = sim::Operation::make_directory, .error = ENOSPC, .status = "Out of RMIDs"});
  EXPECT_EQ(
      error_of([&] { actuator_.apply(step(StepKind::make_group, "bulkhead.web")); }),
      "refused: cannot make the directory: groups hold all 256 RMIDs: remove monitoring groups that nobody "
      "needs (/sys/fs/resctrl/bulkhead.web: No space left on device; the kernel says: Out of RMIDs)");
}

TEST_P(ResctrlActuatorTest, a_group_that_another_program_made_is_not_removed) {
  host_.kernel.outside().make_directory("/sys/fs/resctrl/bulkhead.web");
  const Step make = step(StepKind::make_group, "bulkhead.web");
  EXPECT_EQ(error_of([&] { actuator_.apply(make); }),
            "conflict: cannot make the directory: another program has made it meanwhile "
            "(/sys/fs/resctrl/bulkhead.web: File exists)");
  actuator_.undo(make);
  EXPECT_NE(host_.content("bulkhead.web/schemata"), "");
}

TEST_P(ResctrlActuatorTest, a_group_replaced_by_another_program_takes_no_write) {
  actuator_.apply(step(StepKind::make_group, "bulkhead.web"));
  actuator_.observe();
  host_.kernel.outside().remove_directory("/sys/fs/resctrl/bulkhead.web");
  host_.kernel.outside().make_directory("/sys/fs/resctrl/bulkhead.web");
  const std::string before = host_.content("bulkhead.web/schemata");
  EXPECT_EQ(error_of([&] { actuator_.apply(step(StepKind::write_schemata, "bulkhead.web", "L3:0=f\n")); }),
            "conflict: cannot write 'L3:0=f': bulkhead.web was removed by another program meanwhile "
            "(/sys/fs/resctrl/bulkhead.web/schemata: No such device)");
  EXPECT_EQ(host_.content("bulkhead.web/schemata"), before);
  EXPECT_EQ(actuator_.observe().size(), 2U) << "the new group is seen";
}

TEST_P(ResctrlActuatorTest, groups_that_are_gone_have_nothing_to_undo) {
  Step move = step(StepKind::move_tasks, "gone");
  move.tasks[1] = "";
  for (const Step& one :
       {step(StepKind::make_group, "gone"), step(StepKind::write_schemata, "gone", "", "L3:0=f\n"),
        step(StepKind::write_cpus, "gone", "", "0"), move}) {
    EXPECT_EQ(error_of([&] { actuator_.undo(one); }), "") << to_string(one.kind);
  }
}

TEST(ResctrlActuator, without_resctrl_says_why) {
  Host host(sim::no_rdt());
  EXPECT_FALSE(host.actuator.mounted());
  EXPECT_FALSE(host.actuator.capabilities("amd").resctrl);
  EXPECT_TRUE(
      error_of([&] { host.actuator.observe(); }).starts_with("unsupported: this processor has no cache"));
  EXPECT_TRUE(error_of([&] { host.actuator.lock(0); }).starts_with("unsupported: "));
}

TEST(ResctrlActuator, control_groups_need_allocation) {
  Host host(sim::mon_only());
  EXPECT_EQ(error_of([&] { host.actuator.apply(step(StepKind::make_group, "bulkhead.web")); }),
            "unsupported: cannot make the directory: resctrl on this host only monitors, control groups need "
            "allocation (/sys/fs/resctrl/bulkhead.web: Operation not permitted)");
  host.actuator.apply(step(StepKind::make_group, "mon_groups/bulkhead.m"));
}

TEST(Capabilities, are_read_on_every_shape) {
  const auto of = [](sim::KernelShape shape, const std::string& vendor) {
    Host host(std::move(shape));
    return host.actuator.capabilities(vendor);
  };
  const Capabilities amd = of(sim::amd_12ccd(2), "amd");
  ASSERT_TRUE(amd.l3 && amd.memory && amd.monitoring);
  EXPECT_EQ(amd.l3->ways(), 16U);
  EXPECT_EQ(amd.l3->min_ways, 1U) << "the kernel says 0";
  EXPECT_TRUE(amd.l3->sparse) << "6.1 has no sparse_masks";
  EXPECT_EQ(amd.closids(), 16U);
  EXPECT_EQ(amd.memory->unlimited, 2048U);
  EXPECT_EQ(amd.memory->unit, BandwidthUnit::eighth_gb);
  EXPECT_EQ(amd.domains.size(), 12U);
  EXPECT_EQ(amd.monitoring->events.size(), 3U);

  const Capabilities turin = of(sim::with(sim::epyc_9965(2), sim::Generation::linux_6_12), "amd");
  EXPECT_EQ(turin.memory->unlimited, 4096U);

  const Capabilities intel = of(sim::intel_2socket(), "intel");
  EXPECT_FALSE(intel.l3->sparse);
  EXPECT_EQ(intel.memory->unit, BandwidthUnit::percent);
  EXPECT_EQ(intel.memory->unlimited, 100U);

  EXPECT_FALSE(of(sim::cat_only(), "amd").memory);
  EXPECT_FALSE(of(sim::cat_only(), "amd").monitoring);
  EXPECT_FALSE(of(sim::mba_only(), "amd").l3);
  EXPECT_EQ(of(sim::mba_only(), "amd").domains.size(), 12U);
  const Capabilities counting = of(sim::mon_only(), "amd");
  EXPECT_EQ(counting.closids(), 0U);
  EXPECT_EQ(counting.domains.size(), 12U) << "from mon_data";
  const Capabilities l2 = of(sim::l2_only(), "intel");
  EXPECT_TRUE(l2.l2);
  EXPECT_FALSE(l2.l3);
}

TEST(Capabilities, of_a_mount_with_cdp) {
  sim::KernelShape shape = sim::cdp();
  shape.mount_options = "cdp";
  Host host(std::move(shape));
  const Capabilities found = host.actuator.capabilities("amd");
  EXPECT_TRUE(found.cdp);
  EXPECT_EQ(found.closids(), 8U);
  EXPECT_EQ(found.mount_options, "cdp");
}

TEST(Capabilities, unlimited_is_the_largest_of_any_group) {
  Host host(sim::amd_12ccd(2));
  std::string lowered = "MB:";
  for (int id = 0; id < 12; ++id) lowered += (id != 0 ? ";" : "") + std::to_string(id) + "=16";
  host.actuator.apply(step(StepKind::write_schemata, "", lowered + "\n"));
  EXPECT_EQ(host.actuator.capabilities("amd").memory->unlimited, 16U);
  host.kernel.outside().make_directory("/sys/fs/resctrl/other");
  EXPECT_EQ(host.actuator.capabilities("amd").memory->unlimited, 2048U);
}

}  // namespace
}  // namespace bulkhead

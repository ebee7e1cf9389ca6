// SPDX-License-Identifier: Apache-2.0
#include "controller/pqos/pqos_msr_actuator.h"

#include <gtest/gtest.h>

#include "controller/resctrl/schemata.h"
#include "tests/support/fixed_file_system.h"
#include "tests/unit/pqos/fake_library.h"

namespace bulkhead {
namespace {

using testing::error_of;
using testing::with_fake_library;

class PqosMsrActuatorTest : public ::testing::Test {
 protected:
  PqosMsrActuatorTest() { look(); }

  // As the engine does before it changes anything.
  std::vector<ObservedGroup> look() {
    std::vector<ObservedGroup> groups = actuator_.observe();
    actuator_.capabilities("amd", groups);
    return groups;
  }

  std::string groups_text() {
    std::string text;
    for (const ObservedGroup& group : look()) {
      text +=
          '[' + group.name + "] " + group.cpus.to_list() + '\n' + render_schemata_change({}, group.schemata);
    }
    return text;
  }

  void apply(std::vector<Step>& steps) {
    actuator_.number(steps);
    for (const Step& step : steps) actuator_.apply(step);
  }

  void undo(const std::vector<Step>& steps) {
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) actuator_.undo(*step);
  }

  testing::FixedFileSystem files_{{"/proc/cpuinfo", "flags\t\t: cat_l3 mba\n"},
                                  {"/proc/filesystems", "nodev\tsysfs\n"},
                                  {"/proc/self/mountinfo", ""}};
  Machine machine_{.vendor = "amd",
                   .cpus = {0, 1, 2, 3},
                   .ccds = {{.id = CacheId{0}, .cpus = {0, 1}}, {.id = CacheId{1}, .cpus = {2, 3}}}};
  PqosMsrActuator actuator_{files_, machine_, with_fake_library()};
  std::vector<Step> web_{
      {.kind = StepKind::make_group, .target = "bulkhead.web"},
      {.kind = StepKind::write_schemata, .target = "bulkhead.web", .text = "L3:0=f\nMB:0=40\n", .before = ""},
      {.kind = StepKind::write_schemata, .target = "", .text = "L3:0=f0\n", .before = "L3:0=ff\n"},
      {.kind = StepKind::write_cpus, .target = "bulkhead.web", .text = "0-2", .before = ""}};
  const std::string untouched_ = "[] \nL3:0=ff;1=ff\nMB:0=2048;1=2048\n";
  const std::string with_web_ =
      "[] \nL3:0=f0;1=ff\nMB:0=2048;1=2048\n[bulkhead.web] 0-2\nL3:0=f;1=ff\nMB:0=40;1=2048\n";
};

TEST_F(PqosMsrActuatorTest, capabilities_are_the_processors) {
  const Capabilities found = actuator_.capabilities("amd", {});
  EXPECT_TRUE(found.resctrl);
  EXPECT_EQ(found.l3, (CacheCapability{
                          .closids = 4, .full = {0xff}, .min_ways = 1, .shareable = {0xc0}, .sparse = true}));
  EXPECT_EQ(
      found.memory,
      (BandwidthCapability{
          .closids = 4, .unit = BandwidthUnit::eighth_gb, .min = 1, .granularity = 1, .unlimited = 2048}));
  EXPECT_EQ(found.domains, (std::vector<CacheId>{{0}, {1}}));
  EXPECT_FALSE(found.monitoring);
}

TEST_F(PqosMsrActuatorTest, groups_are_classes_and_undone_they_are_gone) {
  EXPECT_EQ(groups_text(), untouched_);
  apply(web_);
  EXPECT_EQ(web_[0].text, "COS1");
  EXPECT_EQ(actuator_.classes(), (GroupClasses{{"bulkhead.web", 1}}));
  EXPECT_EQ(groups_text(), with_web_);
  undo(web_);
  EXPECT_EQ(groups_text(), untouched_);
  EXPECT_EQ(actuator_.classes(), GroupClasses{});
  undo(web_);  // as after a crash that came before the first step
  EXPECT_EQ(groups_text(), untouched_);
}

TEST_F(PqosMsrActuatorTest, a_group_that_was_removed_comes_back) {
  apply(web_);
  std::vector<Step> removal{{.kind = StepKind::remove_group, .target = "bulkhead.web"}};
  removal[0].image = {.schemata = "L3:0=f;1=ff\nMB:0=40;1=2048\n", .cpus = "0-2", .tasks = {}};
  apply(removal);
  EXPECT_EQ(removal[0].text, "COS1");
  EXPECT_EQ(groups_text(), "[] \nL3:0=f0;1=ff\nMB:0=2048;1=2048\n");
  undo(removal);
  EXPECT_EQ(groups_text(), with_web_);
}

TEST_F(PqosMsrActuatorTest, after_a_crash_the_journal_knows_the_classes) {
  apply(web_);
  actuator_.adopt({}, {});
  EXPECT_EQ(look().back().name, "COS1");  // somebody's
  actuator_.adopt({}, web_);
  undo(web_);
  EXPECT_EQ(groups_text(), untouched_);
}

TEST_F(PqosMsrActuatorTest, classes_that_others_use_are_left_alone) {
  apply(web_);
  actuator_.adopt({}, {});
  look();
  std::vector<Step> steps{{.kind = StepKind::make_group, .target = "bulkhead.db"}};
  actuator_.number(steps);
  EXPECT_EQ(steps[0].text, "COS2");
  std::vector<Step> many(3, steps[0]);
  EXPECT_EQ(error_of([&] { actuator_.number(many); }), "infeasible: libpqos has no class left");
}

TEST_F(PqosMsrActuatorTest, a_class_is_given_again_within_one_transaction_only_where_none_is_free) {
  actuator_.adopt({{"bulkhead.a", 1}, {"bulkhead.b", 2}}, {});
  std::vector<Step> steps{{.kind = StepKind::remove_group, .target = "bulkhead.a"},
                          {.kind = StepKind::make_group, .target = "bulkhead.c"},
                          {.kind = StepKind::make_group, .target = "bulkhead.d"}};
  actuator_.number(steps);
  EXPECT_EQ(steps[1].text, "COS3");
  EXPECT_EQ(steps[2].text, "COS1");
}

TEST_F(PqosMsrActuatorTest, where_resctrl_is_mounted_the_registers_are_the_kernels) {
  testing::FixedFileSystem files{
      {"/proc/cpuinfo", "flags\t\t: cat_l3\n"},
      {"/proc/self/mountinfo", "30 1 0:30 / /sys/fs/resctrl rw - resctrl resctrl rw\n"},
      {"/sys/fs/resctrl/schemata", "L3:0=ffff;1=ffff\n"}};
  PqosMsrActuator actuator(files, machine_, with_fake_library());
  EXPECT_FALSE(actuator.usable());
  const std::string why =
      "resctrl is mounted on /sys/fs/resctrl, and the kernel overwrites what others write to the registers: "
      "use "
      "--actuator resctrl, or unmount it";
  EXPECT_EQ(actuator.lack(), why);
  EXPECT_EQ(error_of([&] { actuator.apply(web_[2]); }), "unsupported: " + why);
  EXPECT_EQ(error_of([&] { actuator.undo(web_[2]); }), "unsupported: " + why);
  EXPECT_EQ(actuator.capabilities("amd", {}), Capabilities{});
}

TEST_F(PqosMsrActuatorTest, cpus_that_it_does_not_know_are_refused) {
  machine_.cpus = {0, 1, 2, 3, 4, 5};
  PqosMsrActuator actuator(files_, machine_, with_fake_library());
  EXPECT_EQ(actuator.lack(), "libpqos cannot run on the CPUs 4-5, and so does not know their caches");
}

TEST_F(PqosMsrActuatorTest, other_ids_than_the_kernels_are_refused) {
  machine_.ccds[1].id = CacheId{8};
  PqosMsrActuator actuator(files_, machine_, with_fake_library());
  EXPECT_EQ(actuator.lack(), "libpqos has CPU 2 in L3 1, the kernel in L3 8");
}

}  // namespace
}  // namespace bulkhead

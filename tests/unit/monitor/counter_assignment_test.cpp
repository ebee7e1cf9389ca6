// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/counter_assignment.h"

#include <gmock/gmock.h>

#include "controller/monitor/counter_files.h"
#include "tests/support/model_file_system.h"

namespace bulkhead {
namespace {

using ::testing::ElementsAre;

const std::string kMountedAt = "/sys/fs/resctrl";

class CounterAssignmentTest : public ::testing::Test {
 protected:
  static sim::KernelShape shape(unsigned counters) {
    sim::KernelShape shape = sim::with(sim::amd_2socket_3ccd(), sim::Generation::linux_7);
    shape.monitoring->assignable_counters = counters;
    return shape;
  }

  void make(const std::string& group) { kernel_.outside().make_directory(kMountedAt + '/' + group); }
  void remove(const std::string& group) { kernel_.outside().remove_directory(kMountedAt + '/' + group); }
  std::string assignments(const std::string& group) {
    return files_.open_directory(kMountedAt)->read(group + "/mbm_L3_assignments");
  }
  void write(const std::string& file, const std::string& text) {
    files_.open_directory(kMountedAt)->write(file, text);
  }
  AssignmentOutcome assign() {
    const CounterFiles source(files_, kMountedAt);
    const auto root = files_.open_directory(kMountedAt);
    kernel_.clear_log();
    return assign_counters(*root, source.shape().groups);
  }

  sim::ScriptedKernel kernel_{shape(4)};
  testing::ModelFileSystem files_{kernel_};
};

TEST_F(CounterAssignmentTest, a_group_of_ours_gets_counters_that_became_free) {
  make("foreign");
  make("bulkhead.web");
  EXPECT_EQ(assignments("bulkhead.web"),
            "mbm_total_bytes:0=_;1=_;2=_;4=_;5=_;6=_\nmbm_local_bytes:0=_;1=_;2=_;4=_;5=_;6=_\n");
  remove("foreign");
  EXPECT_EQ(assign(), (AssignmentOutcome{{"bulkhead.web"}, ""}));
  EXPECT_EQ(assignments("bulkhead.web"),
            "mbm_total_bytes:0=e;1=e;2=e;4=e;5=e;6=e\nmbm_local_bytes:0=e;1=e;2=e;4=e;5=e;6=e\n");
  EXPECT_EQ(assign(), AssignmentOutcome{});
  EXPECT_EQ(kernel_.log_text(), "");  // nothing is left to be written
}

TEST_F(CounterAssignmentTest, groups_of_others_are_left_alone) {
  make("bulkhead.web");
  make("foreign");
  make("bulkhead.web/mon_groups/theirs");
  remove("bulkhead.web");
  make("bulkhead.bulk");
  make("bulkhead.bulk/mon_groups/theirs");
  write("bulkhead.bulk/mbm_L3_assignments", "mbm_total_bytes:*=_\n");
  write("bulkhead.bulk/mbm_L3_assignments", "mbm_local_bytes:*=_\n");
  EXPECT_EQ(assign(), (AssignmentOutcome{{"bulkhead.bulk"}, ""}));
  const std::string none =
      "mbm_total_bytes:0=_;1=_;2=_;4=_;5=_;6=_\nmbm_local_bytes:0=_;1=_;2=_;4=_;5=_;6=_\n";
  EXPECT_EQ(assignments("foreign"), none);
  EXPECT_EQ(assignments("bulkhead.bulk/mon_groups/theirs"), none);
}

TEST_F(CounterAssignmentTest, where_none_is_left_it_says_who_has_them) {
  make("p0");
  make("bulkhead.web");
  make("bulkhead.web/mon_groups/bulkhead.part");
  EXPECT_EQ(
      assign(),
      (AssignmentOutcome{
          {},
          "bandwidth of bulkhead.web, bulkhead.web/mon_groups/bulkhead.part is not counted in full on CCDs "
          "0-2,4-6: 4 counters a CCD, 2 a group, are enough for 2 groups, and on CCD 0 these have them: "
          "the default group, p0"}));
  EXPECT_EQ(kernel_.log_text(), "");
}

TEST_F(CounterAssignmentTest, total_bandwidth_of_all_groups_comes_before_local) {
  make("p0");
  make("bulkhead.a");
  make("bulkhead.b");
  remove("p0");
  const AssignmentOutcome outcome = assign();
  EXPECT_THAT(outcome.assigned, ElementsAre("bulkhead.a", "bulkhead.b"));
  EXPECT_EQ(assignments("bulkhead.b"),
            "mbm_total_bytes:0=e;1=e;2=e;4=e;5=e;6=e\nmbm_local_bytes:0=_;1=_;2=_;4=_;5=_;6=_\n");
  EXPECT_THAT(outcome.lack,
              ::testing::StartsWith("bandwidth of bulkhead.a, bulkhead.b is not counted in full"));
}

TEST_F(CounterAssignmentTest, a_ccd_with_counters_gets_them_also_where_another_has_none) {
  make("p0");
  make("bulkhead.web");
  write("p0/mbm_L3_assignments", "mbm_local_bytes:4=_\n");
  EXPECT_THAT(assign().assigned, ElementsAre("bulkhead.web"));
  EXPECT_EQ(assignments("bulkhead.web"),
            "mbm_total_bytes:0=_;1=_;2=_;4=e;5=_;6=_\nmbm_local_bytes:0=_;1=_;2=_;4=_;5=_;6=_\n");
}

TEST_F(CounterAssignmentTest,
       nothing_is_written_where_another_program_holds_the_lock_or_no_counters_are_assigned) {
  make("p0");
  make("bulkhead.web");
  remove("p0");
  files_.hold_lock(kMountedAt);
  EXPECT_EQ(assign(), AssignmentOutcome{});
  EXPECT_EQ(kernel_.log_text(), "");
  files_.release_lock(kMountedAt);
  write("info/L3_MON/mbm_assign_mode", "default\n");
  EXPECT_EQ(assign(), AssignmentOutcome{});
  EXPECT_EQ(kernel_.log_text(), "");
}

TEST_F(CounterAssignmentTest, counters_that_another_program_took_meanwhile_are_a_lack) {
  make("p0");
  make("bulkhead.web");
  remove("p0");
  kernel_.add_fault({.operation = sim::Operation::write,
                     .path = "*/bulkhead.web/mbm_L3_assignments",
                     .error = ENOSPC,
                     .always = true});
  const AssignmentOutcome outcome = assign();
  EXPECT_THAT(outcome.assigned, ::testing::IsEmpty());
  EXPECT_EQ(
      outcome.lack,
      "bandwidth of bulkhead.web is not counted in full on CCD 0: 4 counters a CCD, 2 a group, are enough "
      "for 2 groups, and on CCD 0 these have them: the default group");
}

TEST_F(CounterAssignmentTest, is_due_where_a_group_of_ours_is_not_counted) {
  const auto now = [&](const std::string& group, NoData total) {
    Snapshot snapshot;
    snapshot.groups = {
        {group, {{.ccd = {0}, .total = {0, NoData::none}}, {.ccd = {1}, .total = {0, total}}}}};
    return lacks_counters(snapshot);
  };
  EXPECT_TRUE(now("bulkhead.web", NoData::unassigned));
  EXPECT_TRUE(now("mon_groups/bulkhead.web", NoData::unassigned));
  EXPECT_FALSE(now("bulkhead.web", NoData::unavailable));
  EXPECT_FALSE(now("", NoData::unassigned));
  EXPECT_FALSE(now("bulkhead.web/mon_groups/theirs", NoData::unassigned));
}

}  // namespace
}  // namespace bulkhead

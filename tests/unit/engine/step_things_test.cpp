// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/step_things.h"

#include <gmock/gmock.h>

namespace bulkhead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> without(const Things& held, std::vector<Step> steps) {
  hold_back(steps, held);
  std::vector<std::string> lines;
  for (const Step& step : steps) lines.push_back(describe(step));
  return lines;
}

TEST(StepThings, are_the_smallest_parts_that_somebody_can_change) {
  EXPECT_THAT(
      things_of(
          {.kind = StepKind::write_schemata, .target = "bulkhead.web", .text = "L3:0=f;3=f\nMB:3=64\n"}),
      ElementsAre("L3 of group bulkhead.web on CCD 0", "L3 of group bulkhead.web on CCD 3",
                  "MB of group bulkhead.web on CCD 3"));
  EXPECT_THAT(
      things_of({.kind = StepKind::move_tasks, .target = "bulkhead.web", .tasks = {{7, ""}, {8, ""}}}),
      ElementsAre("group of thread 7", "group of thread 8"));
  EXPECT_THAT(things_of({.kind = StepKind::write_partition, .target = "/web", .text = "root"}),
              ElementsAre("CPUs of cgroup /web"));
  EXPECT_THAT(things_of({.kind = StepKind::write_cpus, .target = "bulkhead.a/mon_groups/bulkhead.b"}),
              ElementsAre("CPUs of group bulkhead.a"));
}

TEST(StepThings, that_are_held_stay_and_the_rest_of_their_step_goes_on) {
  EXPECT_THAT(
      without({"L3 of the default group on CCD 3", "group of thread 7"},
              {{.kind = StepKind::write_schemata, .text = "L3:0=f;3=f\n", .before = "L3:0=1;3=1\n"},
               {.kind = StepKind::move_tasks, .target = "bulkhead.web", .tasks = {{7, ""}, {8, ""}}},
               {.kind = StepKind::move_tasks, .target = "bulkhead.db", .tasks = {{7, ""}}}}),
      ElementsAre("the default group: schemata L3:0=f (was L3:0=1)", "bulkhead.web: move in 1 thread"));
}

TEST(StepThings, nothing_goes_into_a_group_that_is_held) {
  const std::vector<Step> steps{
      {.kind = StepKind::make_group, .target = "bulkhead.web"},
      {.kind = StepKind::write_schemata, .target = "bulkhead.web", .text = "L3:0=f\n"},
      {.kind = StepKind::make_group, .target = "bulkhead.web/mon_groups/bulkhead.db"},
      {.kind = StepKind::move_tasks, .target = "bulkhead.web/mon_groups/bulkhead.db", .tasks = {{7, ""}}},
  };
  EXPECT_THAT(without({"group bulkhead.web"}, steps), IsEmpty());
  EXPECT_EQ(without({"group bulkhead.web/mon_groups/bulkhead.db"}, steps).size(), 2U);
}

TEST(StepThings, nothing_is_written_below_a_cgroup_that_is_held) {
  const std::vector<Step> steps{
      {.kind = StepKind::write_cpuset_cpus, .target = "/web", .text = "0-3", .before = "0"},
      {.kind = StepKind::write_cpuset_cpus, .target = "/web/worker", .text = "0-3", .before = "0"},
      {.kind = StepKind::write_cpuset_cpus, .target = "/webber", .text = "4", .before = "0"},
  };
  EXPECT_THAT(without({"CPUs of cgroup /web"}, steps), ElementsAre("/webber: cpuset.cpus 4 (was 0)"));
}

}  // namespace
}  // namespace bulkhead

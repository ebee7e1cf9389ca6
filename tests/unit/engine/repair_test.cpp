// SPDX-License-Identifier: Apache-2.0
// What keeps a policy in force after it was applied: repairs, generations, processes given by hand.
#include <gmock/gmock.h>

#include "tests/unit/engine/engine_fixture.h"

namespace bulkhead {
namespace {

using ::testing::ElementsAre;
using testing::EngineTest;
using ::testing::IsEmpty;
using testing::kWebHasWays;
using testing::kWebOwnsNode0;

constexpr const char* kBatchByHand = R"({
  "bulkhead": 1, "name": "batch-by-hand",
  "services": {
    "web": {"select": {"cgroup": "/web"}, "cpus": "all", "l3": "50%"},
    "batch": {"select": {"pids": []}, "cpus": "all", "l3": {"ways": 2}}
  }
})";

class Repairs : public EngineTest {
 protected:
  Outcome repair(Repair what = Repair::everything) {
    return in_a_new_run([&](Engine& engine) { return engine.repair(what); });
  }
  std::vector<std::string> repaired(Repair what = Repair::everything) {
    std::vector<std::string> steps;
    for (const Step& step : repair(what).steps) steps.push_back(describe(step));
    return steps;
  }
  Outcome attach(const std::string& service, const std::vector<unsigned>& pids, IfGeneration expected = {}) {
    return in_a_new_run([&](Engine& engine) { return engine.attach(service, pids, expected); });
  }
  Outcome detach(const std::string& service, const std::vector<unsigned>& pids) {
    return in_a_new_run([&](Engine& engine) { return engine.detach(service, pids); });
  }
  std::uint64_t generation() {
    return in_a_new_run([](Engine& engine) { return engine.state().generation; });
  }
  sim::KernelModel& host() { return kernel_->outside(); }
};

TEST_F(Repairs, write_back_what_others_changed_and_keep_the_generation) {
  const std::string before = now();
  apply(kWebHasWays);
  const std::string applied = now();
  host().write("/sys/fs/resctrl/bulkhead.web/schemata", "L3:3=ff\n");
  ASSERT_NE(now(), applied);
  EXPECT_THAT(repaired(), ElementsAre("bulkhead.web: schemata L3:3=fff (was L3:3=ff)"));
  EXPECT_EQ(now(), applied);
  EXPECT_EQ(generation(), 1U);
  reset();
  EXPECT_EQ(now(), before);
}

TEST_F(Repairs, write_nothing_where_nothing_differs) {
  apply(kWebHasWays);
  kernel_->clear_log();
  EXPECT_THAT(repaired(), IsEmpty());
  EXPECT_EQ(kernel_->log_text(), "");
}

TEST_F(Repairs, of_threads_leave_masks_to_those_who_change_them) {
  apply(kWebHasWays);
  host().write("/sys/fs/resctrl/bulkhead.web/schemata", "L3:3=ff\n");
  host().spawn({.name = "web", .executable = "/usr/bin/web", .cgroup = "/web"});
  EXPECT_THAT(repaired(Repair::threads), ElementsAre("bulkhead.web: move in 1 thread"));
  EXPECT_EQ(findings().size(), 1U);
}

TEST_F(Repairs, bring_a_group_back_that_somebody_removed) {
  apply(kWebOwnsNode0);
  const std::string applied = now();
  host().remove_directory("/sys/fs/resctrl/bulkhead.web");
  ASSERT_NE(now(), applied);
  repair();
  EXPECT_EQ(now(), applied);
}

TEST_F(Repairs, need_a_policy) {
  EXPECT_EQ(error_of([&] { repair(); }), "no policy is in force: apply one first");
}

TEST_F(Repairs, are_undone_as_a_whole_where_one_step_fails) {
  apply(kWebHasWays);
  host().write("/sys/fs/resctrl/bulkhead.web/schemata", "L3:3=ff\n");
  const std::string drifted = now();
  kernel_->clear_log();
  kernel_->add_fault({.operation = sim::Operation::write, .path = "*/bulkhead.web/schemata", .error = EIO});
  EXPECT_NE(error_of([&] { repair(); }), "no error");
  EXPECT_EQ(now(), drifted);
  EXPECT_FALSE(has_journal());
}

TEST_F(Repairs, are_refused_to_those_who_expect_another_generation) {
  apply(kWebHasWays);
  const std::string applied = now();
  const auto expecting = [&](std::uint64_t generation) {
    return error_of([&] {
      in_a_new_run([&](Engine& engine) { engine.apply({kWebOwnsNode0, "p.json"}, {}, generation); });
    });
  };
  EXPECT_EQ(expecting(7), "the generation is 1, not 7 as expected: the policy was changed meanwhile");
  EXPECT_EQ(now(), applied);
  EXPECT_EQ(expecting(1), "no error");
  EXPECT_EQ(generation(), 2U);
  EXPECT_EQ(error_of([&] { in_a_new_run([](Engine& engine) { engine.reset({}, 1); }); }),
            "the generation is 2, not 1 as expected: the policy was changed meanwhile");
}

TEST_F(Repairs, generations_go_on_from_what_others_remember) {
  in_a_new_run([](Engine& engine) {
    engine.continue_from(41);
    EXPECT_EQ(engine.apply({kWebHasWays, "p.json"}).generation, 42U);
    EXPECT_EQ(engine.reset().generation, 43U);
    EXPECT_EQ(engine.reset().generation, 43U) << "nothing was there to go back, and generations never do";
  });
}

TEST_F(Repairs, processes_are_given_and_taken_by_hand) {
  apply(kBatchByHand);
  EXPECT_THAT(verify().waiting, ElementsAre("batch"));
  const Outcome given = attach("batch", {shell_});
  EXPECT_EQ(given.generation, 2U);
  EXPECT_EQ(read("/sys/fs/resctrl/bulkhead.batch/tasks"), std::to_string(shell_) + '\n');
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_THAT(repaired(), IsEmpty());
  EXPECT_EQ(detach("batch", {shell_}).generation, 3U);
  EXPECT_EQ(read("/sys/fs/resctrl/bulkhead.batch/tasks"), "");
}

TEST_F(Repairs, giving_again_changes_nothing) {
  apply(kBatchByHand);
  attach("batch", {shell_});
  kernel_->clear_log();
  EXPECT_EQ(attach("batch", {shell_}).generation, 2U);
  EXPECT_EQ(kernel_->log_text(), "");
}

TEST_F(Repairs, a_process_that_has_ended_is_not_confused_with_the_next_of_its_number) {
  apply(kBatchByHand);
  attach("batch", {shell_});
  host().end(shell_);
  EXPECT_THAT(verify().waiting, ElementsAre("batch"));
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(Repairs, processes_are_given_only_to_services_that_select_by_pids) {
  apply(kBatchByHand);
  const std::string thread = std::to_string(host().spawn_thread(shell_)), process = std::to_string(shell_);
  const unsigned worker = host().spawn_kernel_thread("kworker/0:1", true, {});
  const std::string applied = now();
  EXPECT_EQ(error_of([&] { attach("web", {shell_}); }),
            "service \"web\" does not select by pids: only such a service takes processes by hand");
  EXPECT_EQ(error_of([&] { attach("nobody", {shell_}); }), "the policy in force has no service \"nobody\"");
  EXPECT_EQ(error_of([&] { attach("batch", {4'000'000}); }), "there is no process 4000000");
  EXPECT_EQ(error_of([&] {
              attach("batch", {shell_, static_cast<unsigned>(std::stoul(thread))});
            }),
            "there is no process " + thread + ": it is a thread of process " + process +
                ", which can be given with all its threads");
  EXPECT_EQ(error_of([&] { attach("batch", {worker}); }),
            std::to_string(worker) + " is a kernel thread: the kernel alone moves those");
  EXPECT_EQ(error_of([&] { detach("batch", {shell_}); }),
            "process " + std::to_string(shell_) + " was not attached to service \"batch\"");
  EXPECT_EQ(error_of([&] { attach("batch", {shell_}, 5); }),
            "the generation is 1, not 5 as expected: the policy was changed meanwhile");
  EXPECT_EQ(now(), applied);
}

TEST_F(Repairs, what_was_given_stays_with_a_policy_that_still_has_the_service) {
  apply(kBatchByHand);
  attach("batch", {shell_});
  std::string smaller = kBatchByHand;
  smaller.replace(smaller.find("50%"), 3, "25%");
  apply(smaller);
  EXPECT_EQ(read("/sys/fs/resctrl/bulkhead.batch/tasks"), std::to_string(shell_) + '\n');
  apply(kWebHasWays);
  apply(kBatchByHand);
  EXPECT_THAT(verify().waiting, ElementsAre("batch"));
}

}  // namespace
}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// With the kernel that runs the tests: software events exist where there is no PMU.
#include "controller/kernel/perf_events.h"

#include <cerrno>
#include <chrono>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <unistd.h>
#include <vector>

#include "controller/base/error.h"

namespace bulkhead {
namespace {

constexpr PerfEvent kTaskClock{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK};
constexpr PerfEvent kFaults{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS};
constexpr PerfEvent kOfNoPmu{0x7fffffff, 0};

class PerfEvents : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      system_->open(std::vector{kTaskClock}, own_thread());
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  static PerfTarget own_thread() {
    return {.cpu = {}, .cgroup = {}, .thread = static_cast<unsigned>(::gettid())};
  }
  static void work() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
    while (std::chrono::steady_clock::now() < end) {
    }
  }
  int error_of(const PerfEvent& event, const PerfTarget& target) {
    try {
      system_->open(std::vector{event}, target);
    } catch (const Error& error) {
      return error.detail().error_number;
    }
    return 0;
  }

  std::unique_ptr<PerfSystem> system_ = make_linux_perf_system();
};

TEST_F(PerfEvents, of_a_thread_are_counted_together) {
  const auto group = system_->open(std::vector{kTaskClock, kFaults}, own_thread());
  std::array<std::uint64_t, 2> before{}, after{};
  PerfTimes then, now;
  ASSERT_TRUE(group->read(before, then));
  work();
  std::vector<char> pages(64 << 12);
  for (std::size_t page = 0; page < pages.size(); page += 1 << 12) pages[page] = 1;
  ASSERT_TRUE(group->read(after, now));
  EXPECT_GT(after[0] - before[0], 1'000'000U);  // nanoseconds on a CPU
  EXPECT_LT(after[0] - before[0], 60'000'000'000U);
  EXPECT_GT(now.enabled, then.enabled);
  EXPECT_EQ(now.enabled - then.enabled, now.running - then.running);
  EXPECT_GE(after[1], before[1]);
}

TEST_F(PerfEvents, of_a_cpu_are_counted_where_it_is_allowed) {
  const int here = ::sched_getcpu();
  const PerfTarget target{.cpu = static_cast<unsigned>(here), .cgroup = {}, .thread = {}};
  const int error = error_of(kTaskClock, target);
  if (error == EACCES || error == EPERM) GTEST_SKIP() << "no right to count a CPU";
  EXPECT_EQ(error, 0);
}

TEST_F(PerfEvents, say_what_cannot_be_counted) {
  EXPECT_EQ(error_of(kOfNoPmu, own_thread()), ENOENT);
  EXPECT_EQ(error_of(kTaskClock, {.cpu = {}, .cgroup = {}, .thread = 0x3fffffff}), ESRCH);
  EXPECT_EQ(error_of(kTaskClock, {.cpu = 0, .cgroup = "/not/there", .thread = {}}), ENOENT);
  try {
    system_->open(std::vector{kTaskClock}, {.cpu = {}, .cgroup = {}, .thread = 0x3fffffff});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "cannot count events of thread 1073741823 (perf_event_open: No such process)");
  }
}

TEST_F(PerfEvents, a_cgroup_is_known_by_more_than_its_path) {
  EXPECT_EQ(system_->cgroup_identity("/not/there"), 0U);
  EXPECT_NE(system_->cgroup_identity("/"), 0U);
}

TEST(PerfTargets, have_names) {
  EXPECT_EQ(to_string(PerfTarget{.cpu = 3, .cgroup = {}, .thread = {}}), "CPU 3");
  EXPECT_EQ(to_string(PerfTarget{.cpu = 3, .cgroup = "/c/web", .thread = {}}), "/c/web on CPU 3");
  EXPECT_EQ(to_string(PerfTarget{.cpu = {}, .cgroup = {}, .thread = 7}), "thread 7");
}

}  // namespace
}  // namespace bulkhead

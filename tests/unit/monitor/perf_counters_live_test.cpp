// SPDX-License-Identifier: Apache-2.0
// The whole way with the kernel that runs the tests: software events of a cgroup exist where there is no PMU.
#include <chrono>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "controller/kernel/mounts.h"
#include "controller/monitor/perf_counters.h"

namespace bulkhead {
namespace {

// A process that works a little once it is told to.
class Worker {
 public:
  Worker() {
    if (::pipe(pipe_.data()) != 0) return;
    process_ = ::fork();
    if (process_ != 0) return;
    char told = 0;
    if (::read(pipe_[0], &told, 1) == 1) work();
    ::_exit(0);
  }
  ~Worker() {
    finish();
    ::close(pipe_[0]);
  }

  int process() const { return process_; }

  // Nanoseconds on a CPU that it took in all.
  double run_to_the_end() {
    if (::write(pipe_[1], "x", 1) != 1) return 0;
    return finish();
  }

 private:
  static void work() {
    constexpr long kLong = 20'000'000;
    timespec used{};
    do {
      ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    } while (used.tv_sec == 0 && used.tv_nsec < kLong);
  }

  double finish() {
    if (process_ <= 0) return 0;
    ::close(pipe_[1]);
    rusage usage{};
    ::wait4(process_, nullptr, 0, &usage);
    process_ = 0;
    const auto nanoseconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_usec) * 1e3;
    };
    return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
  }

  std::array<int, 2> pipe_{-1, -1};
  int process_ = 0;
};

class LivePerfCounters : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const Mount& mount : read_mounts(*files_)) {
      if (mount.type == "cgroup2") root_ = perf_cgroup_root(read_mounts(*files_), mount.point);
    }
    if (root_.empty()) GTEST_SKIP() << "no cgroup v2 with perf_event";
    try {
      files_->open_directory(root_)->make_directory(name_);
      made_ = true;
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
    pmu_.cores = {{"software", PERF_TYPE_SOFTWARE, cpus_}};
    pmu_.service_events = {{"cpu_clock", "0", PERF_COUNT_SW_CPU_CLOCK},
                           {"task_clock", "1", PERF_COUNT_SW_TASK_CLOCK}};
  }
  void TearDown() override {
    if (made_) files_->open_directory(root_)->remove_directory(name_);
  }

  std::unique_ptr<FileSystem> files_ = make_linux_file_system();
  std::unique_ptr<PerfSystem> system_ = make_linux_perf_system();
  const CpuSet cpus_ = CpuSet::range(0, static_cast<unsigned>(::sysconf(_SC_NPROCESSORS_ONLN)) - 1);
  const std::string name_ = "bulkhead-test-" + std::to_string(::getpid());
  std::string root_;
  bool made_ = false;
  Pmu pmu_;
};

TEST_F(LivePerfCounters, count_what_a_cgroup_did_on_all_cpus) {
  Worker worker;
  ASSERT_GT(worker.process(), 0);
  PerfCounters counters(*system_, pmu_, Machine{}, 1000);
  counters.follow({{.name = "work", .cgroups = {root_ + '/' + name_}, .cpus = cpus_},
                   {.name = "thread", .threads = {static_cast<unsigned>(worker.process())}, .cpus = cpus_}});
  files_->open_directory(root_)->write(name_ + "/cgroup.procs", std::to_string(worker.process()));
  const MonotonicTime begun = std::chrono::steady_clock::now();
  counters.sample(begun);
  if (counters.services()[0].rates.per_second[0].no_data == NoData::refused)
    GTEST_SKIP() << counters.lacks().front();
  const double worked = worker.run_to_the_end();
  const MonotonicTime ended = std::chrono::steady_clock::now();
  counters.sample(ended);
  const double elapsed = std::chrono::duration<double>(ended - begun).count();
  ASSERT_GT(worked, 15e6);
  for (const ServicePerf& service : counters.services()) {
    const Measured& rate = service.rates.per_second[0];
    EXPECT_EQ(rate.no_data, NoData::none) << service.service;
    EXPECT_GT(rate.value * elapsed, worked / 2) << service.service;
    EXPECT_LT(rate.value * elapsed, worked * 2) << service.service;
    EXPECT_EQ(service.rates.counted_share, (Measured{1, NoData::none})) << service.service;
  }
  EXPECT_TRUE(counters.lacks().empty());
}

}  // namespace
}  // namespace bulkhead

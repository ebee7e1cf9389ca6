// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/perf_view.h"

#include <gtest/gtest.h>

#include "tests/support/model_perf_system.h"

namespace bulkhead {
namespace {

constexpr std::uint64_t kMillions = 1'000'000;

class PerfView : public ::testing::Test {
 protected:
  PerfView() {
    pmu_.cores = {{"cpu", 4, {0, 1}}};
    pmu_.service_events = {
        {"cycles", "0x76", 1}, {"instructions", "0xc0", 2}, {"dram_fills", "0x44/0x48", 3}};
    pmu_.l3 = L3Pmu{13, {0}};
    pmu_.ccd_events = {{"l3_lookups", "0x04/0xff", 4}, {"l3_misses", "0x04/0x01", 5}};
    machine_.ccds = {{.id = {8}, .cpus = {0, 1}}};
    system_.make_cgroup("/web");
  }

  std::string text() {
    PerfCounters counters(system_, pmu_, machine_, 100);
    counters.follow({{.name = "web", .cgroups = {"/web"}, .cpus = {0}}, {.name = "stopped", .cpus = {0}}});
    counters.sample(MonotonicTime(std::chrono::seconds(1)));
    system_.run("/web on CPU 0", {{1, 2000 * kMillions}, {2, 3020 * kMillions}, {3, 12 * kMillions}},
                {1000, 800});
    system_.run("CPU 0", {{4, 40 * kMillions}, {5, 10 * kMillions}});
    counters.sample(MonotonicTime(std::chrono::seconds(2)));
    return perf_text(counters, {.width = 80});
  }

  Pmu pmu_;
  Machine machine_;
  testing::ModelPerfSystem system_;
};

TEST_F(PerfView, shows_services_and_ccds) {
  EXPECT_EQ(text(),
            "\n"
            "service  IPC   dram fills M/s  counted  no data\n"
            "web      1.51  15.0            80%\n"
            "stopped  -     -               -        absent\n"
            "\n"
            "CCD  l3 lookups M/s  misses  counted  no data\n"
            "8    40.0            25%     100%\n");
}

TEST_F(PerfView, shows_a_refusal_with_its_remedy_once) {
  system_.refuse(EPERM);
  EXPECT_EQ(text(),
            "\n"
            "service  IPC  dram fills M/s  counted  no data\n"
            "web      -    -               -        refused\n"
            "stopped  -    -               -        absent\n"
            "\n"
            "CCD  l3 lookups M/s  misses  counted  no data\n"
            "8    -               -       -        refused\n"
            "\n"
            "the kernel refuses to count: run as root or with CAP_PERFMON, or set\n"
            "kernel.perf_event_paranoid to 0; where root is refused, a seccomp filter forbids\n"
            "perf_event_open\n");
}

TEST_F(PerfView, says_only_what_services_lack_where_there_is_no_pmu) {
  pmu_ = Pmu{};
  pmu_.service_lack = "there are no performance counters";
  pmu_.ccd_lack = "nor any of CCDs";
  EXPECT_EQ(text(), "\nthere are no performance counters\n");
}

}  // namespace
}  // namespace bulkhead

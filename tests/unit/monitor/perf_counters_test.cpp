// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/perf_counters.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "controller/monitor/perf_json.h"
#include "tests/support/model_perf_system.h"

namespace bulkhead {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::ModelPerfSystem;

constexpr std::uint64_t kCycles = 0x76, kInstructions = 0xc0, kFills = 0x4844, kLookups = 0xff04,
                        kMisses = 0x104;

Pmu amd_pmu() {
  Pmu pmu;
  pmu.cores = {{"cpu", 4, CpuSet::range(0, 5)}};
  pmu.service_events = {{"cycles", "0x76", kCycles},
                        {"instructions", "0xc0", kInstructions},
                        {"dram_fills", "0x44/0x48", kFills}};
  pmu.l3 = L3Pmu{13, {0, 2}};
  pmu.ccd_events = {{"l3_lookups", "0x04/0xff", kLookups}, {"l3_misses", "0x04/0x01", kMisses}};
  pmu.paranoid = 2;
  return pmu;
}

class PerfCountersTest : public ::testing::Test {
 protected:
  PerfCountersTest() {
    machine_.ccds = {{.id = {0}, .cpus = {0, 1}}, {.id = {4}, .cpus = {2, 3}}, {.id = {5}, .cpus = {4, 5}}};
    system_.make_cgroup("/c/web");
  }

  PerfCounters make(const Pmu& pmu = amd_pmu(), std::size_t descriptors = 1000) {
    return {system_, pmu, machine_, descriptors};
  }
  void sample(PerfCounters& counters, int second) { counters.sample(MonotonicTime(seconds(second))); }
  static NoData why(const PerfCounters& counters, std::size_t service = 0) {
    return counters.services()[service].rates.per_second[0].no_data;
  }

  ModelPerfSystem system_;
  Machine machine_;
  const PerfService web_{.name = "web", .cgroups = {"/c/web"}, .cpus = {1, 2}};
  const PerfService backup_{.name = "backup", .threads = {7, 8}, .cpus = {0}};
};

TEST_F(PerfCountersTest, a_cgroup_is_opened_on_each_of_its_cpus_and_a_thread_once) {
  PerfCounters counters = make();
  EXPECT_THAT(system_.take_opened(), ElementsAre("13:ff04 13:104 of CPU 0", "13:ff04 13:104 of CPU 2"));
  counters.follow({web_, backup_});
  EXPECT_THAT(system_.take_opened(),
              ElementsAre("4:76 4:c0 4:4844 of /c/web on CPU 1", "4:76 4:c0 4:4844 of /c/web on CPU 2",
                          "4:76 4:c0 4:4844 of thread 7", "4:76 4:c0 4:4844 of thread 8"));
  EXPECT_EQ(system_.descriptors(), 4U + 12U);
  EXPECT_THAT(counters.lacks(), IsEmpty());
}

TEST_F(PerfCountersTest, says_what_services_and_ccds_did_in_a_second) {
  PerfCounters counters = make();
  counters.follow({web_});
  sample(counters, 10);
  EXPECT_EQ(perf_json(counters).dump(),
            R"({"events":{"cycles":"0x76","instructions":"0xc0","dram_fills":"0x44/0x48",)"
            R"("l3_lookups":"0x04/0xff","l3_misses":"0x04/0x01"},"services":[{"service":"web","cycles":null,)"
            R"("instructions":null,"dram_fills":null,"ipc":null,"counted_share":null,)"
            R"("no_data":{"cycles":"first_sample","instructions":"first_sample","dram_fills":"first_sample",)"
            R"("ipc":"first_sample","counted_share":"first_sample"}}],"ccds":[{"ccd":0,"l3_lookups":null,)"
            R"("l3_misses":null,"l3_miss_ratio":null,"counted_share":null,"no_data":{)"
            R"("l3_lookups":"first_sample","l3_misses":"first_sample","l3_miss_ratio":"first_sample",)"
            R"("counted_share":"first_sample"}},{"ccd":4,"l3_lookups":null,"l3_misses":null,)"
            R"("l3_miss_ratio":null,"counted_share":null,"no_data":{"l3_lookups":"first_sample",)"
            R"("l3_misses":"first_sample","l3_miss_ratio":"first_sample","counted_share":"first_sample"}}],)"
            R"("lacking":[]})");
  system_.run("/c/web on CPU 1", {{kCycles, 4000}, {kInstructions, 6000}, {kFills, 8}});
  system_.run("/c/web on CPU 2", {{kCycles, 1000}, {kInstructions, 500}, {kFills, 1}}, {1'000'000, 500'000});
  system_.run("CPU 0", {{kLookups, 2000}, {kMisses, 500}});
  system_.run("CPU 2", {{kLookups, 0}, {kMisses, 0}});
  sample(counters, 12);
  EXPECT_EQ(perf_json(counters)["services"].dump(),
            R"([{"service":"web","cycles":3000,"instructions":3500,"dram_fills":5,"ipc":1.1667,)"
            R"("counted_share":0.75,"no_data":{}}])");
  EXPECT_EQ(perf_json(counters)["ccds"].dump(),
            R"([{"ccd":0,"l3_lookups":1000,"l3_misses":250,"l3_miss_ratio":0.25,"counted_share":1.0,)"
            R"("no_data":{}},{"ccd":4,"l3_lookups":0,"l3_misses":0,"l3_miss_ratio":null,)"
            R"("counted_share":1.0,"no_data":{"l3_miss_ratio":"idle"}}])");
}

TEST_F(PerfCountersTest, a_service_that_did_nothing_did_0) {
  PerfCounters counters = make();
  counters.follow({web_});
  sample(counters, 1);
  sample(counters, 2);
  EXPECT_EQ(counters.services()[0].rates.per_second[0], (Measured{0, NoData::none}));
  EXPECT_EQ(counters.services()[0].ipc, (Measured{0, NoData::idle}));
}

TEST_F(PerfCountersTest, what_is_followed_goes_on_and_what_is_new_begins) {
  PerfCounters counters = make();
  counters.follow({web_});
  sample(counters, 1);
  system_.take_opened();
  counters.follow({backup_, web_});
  EXPECT_THAT(system_.take_opened(),
              ElementsAre("4:76 4:c0 4:4844 of thread 7", "4:76 4:c0 4:4844 of thread 8"));
  system_.run("/c/web on CPU 1", {{kCycles, 30}});
  sample(counters, 2);
  EXPECT_EQ(why(counters, 0), NoData::first_sample);
  EXPECT_EQ(counters.services()[1].rates.per_second[0], (Measured{30, NoData::none}));
  counters.follow({});
  EXPECT_EQ(system_.descriptors(), 4U);
  EXPECT_THAT(counters.services(), IsEmpty());
}

TEST_F(PerfCountersTest, a_cgroup_made_again_is_another_one) {
  PerfCounters counters = make();
  counters.follow({web_});
  sample(counters, 1);
  system_.remove_cgroup("/c/web");
  counters.follow({web_});
  sample(counters, 2);
  EXPECT_EQ(why(counters), NoData::absent);
  EXPECT_EQ(system_.descriptors(), 4U);
  system_.make_cgroup("/c/web");
  system_.take_opened();
  counters.follow({web_});
  EXPECT_EQ(system_.take_opened().size(), 2U);
  sample(counters, 3);
  EXPECT_EQ(why(counters), NoData::first_sample);
  EXPECT_THAT(counters.lacks(), IsEmpty());
}

TEST_F(PerfCountersTest, offline_cpus_and_ended_threads_are_left_out) {
  system_.take_offline(2);
  system_.end_thread(7);
  PerfCounters counters = make();
  counters.follow({web_, backup_, {.name = "stopped", .cpus = {0}}});
  EXPECT_EQ(counters.ccds()[1].ccd, CacheId{4});
  sample(counters, 1);
  EXPECT_EQ(counters.ccds()[1].rates.per_second[0].no_data, NoData::absent);
  system_.run("/c/web on CPU 1", {{kCycles, 5}});
  system_.run("thread 8", {{kCycles, 6}});
  sample(counters, 2);
  EXPECT_EQ(counters.services()[0].rates.per_second[0], (Measured{5, NoData::none}));
  EXPECT_EQ(counters.services()[1].rates.per_second[0], (Measured{6, NoData::none}));
  EXPECT_EQ(why(counters, 2), NoData::absent);
  EXPECT_THAT(counters.lacks(), IsEmpty());
}

TEST_F(PerfCountersTest, a_refusal_is_explained_once_and_tried_again) {
  system_.refuse(EACCES);
  PerfCounters counters = make();
  counters.follow({web_, backup_});
  sample(counters, 1);
  EXPECT_EQ(why(counters, 0), NoData::refused);
  EXPECT_EQ(why(counters, 1), NoData::refused);
  EXPECT_EQ(counters.ccds()[0].rates.per_second[0].no_data, NoData::refused);
  EXPECT_THAT(
      counters.lacks(),
      ElementsAre("the kernel refuses to count (kernel.perf_event_paranoid is 2): run as root or with "
                  "CAP_PERFMON, or set kernel.perf_event_paranoid to 0; where root is refused, a seccomp "
                  "filter forbids perf_event_open"));
  system_.refuse(0);
  counters.follow({web_});
  sample(counters, 2);
  EXPECT_EQ(why(counters), NoData::first_sample);
}

TEST_F(PerfCountersTest, more_than_may_be_open_is_not_begun) {
  PerfCounters counters = make(amd_pmu(), 4 + 6);
  counters.follow({web_, backup_});
  sample(counters, 1);
  EXPECT_EQ(why(counters, 0), NoData::first_sample);
  EXPECT_EQ(why(counters, 1), NoData::no_descriptors);
  EXPECT_EQ(system_.descriptors(), 10U);
  EXPECT_THAT(
      counters.lacks(),
      ElementsAre("counting 2 services on their CPUs takes 16 open files, and there can be 10: raise the "
                  "limit (LimitNOFILE= of a unit, ulimit -Hn)"));
  counters.follow({backup_});
  EXPECT_THAT(counters.lacks(), IsEmpty());
}

TEST_F(PerfCountersTest, descriptors_that_others_took_end_a_service_only) {
  system_.limit_descriptors(4 + 6 + 3);
  PerfCounters counters = make();
  counters.follow({web_, backup_});
  sample(counters, 1);
  EXPECT_EQ(why(counters, 0), NoData::first_sample);
  EXPECT_EQ(why(counters, 1), NoData::no_descriptors);
  EXPECT_EQ(system_.descriptors(), 10U);  // what was opened of it is closed
  EXPECT_THAT(counters.lacks(), ElementsAre("cannot count events of thread 8 (model: Too many open files)"));
}

TEST_F(PerfCountersTest, without_a_pmu_everything_says_so) {
  Pmu none;
  none.service_lack = "no PMU";
  none.ccd_lack = "no L3 either";
  PerfCounters counters = make(none);
  counters.follow({web_});
  sample(counters, 1);
  sample(counters, 2);
  EXPECT_EQ(system_.descriptors(), 0U);
  EXPECT_EQ(perf_json(counters).dump(),
            R"({"events":{},"services":[{"service":"web","ipc":null,"counted_share":null,)"
            R"("no_data":{"ipc":"not_counted","counted_share":"not_counted"}}],"ccds":[],)"
            R"("lacking":["no PMU","no L3 either"]})");
}

TEST_F(PerfCountersTest, a_pmu_that_the_kernel_names_but_does_not_have_counts_nothing) {
  system_.lack(4);
  PerfCounters counters = make();
  counters.follow({web_});
  sample(counters, 1);
  EXPECT_EQ(why(counters), NoData::not_counted);
  EXPECT_THAT(counters.lacks(),
              ElementsAre("cannot count events of /c/web on CPU 1 (model: No such file or directory)"));
}

TEST_F(PerfCountersTest, two_kinds_of_core_count_their_own_cpus) {
  Pmu pmu = amd_pmu();
  pmu.cores = {{"cpu_core", 4, {0, 1}}, {"cpu_atom", 10, {2, 3}}};
  pmu.l3.reset();
  PerfCounters counters = make(pmu);
  counters.follow({web_, {.name = "backup", .threads = {7}, .cpus = {0, 3}}});
  EXPECT_THAT(
      system_.take_opened(),
      ElementsAre("4:76 4:c0 4:4844 of /c/web on CPU 1", "10:76 10:c0 10:4844 of /c/web on CPU 2",
                  "4:76 4:c0 4:4844 of thread 7 on CPU 0", "10:76 10:c0 10:4844 of thread 7 on CPU 3"));
}

TEST_F(PerfCountersTest, a_counter_that_falls_silent_is_left_out_and_none_left_is_no_data) {
  PerfCounters counters = make();
  counters.follow({web_});
  sample(counters, 1);
  system_.silence("/c/web on CPU 1");
  system_.run("/c/web on CPU 2", {{kCycles, 9}});
  sample(counters, 2);
  EXPECT_EQ(counters.services()[0].rates.per_second[0], (Measured{9, NoData::none}));
  system_.silence("/c/web on CPU 2");
  sample(counters, 3);
  EXPECT_EQ(why(counters), NoData::unreadable);
}

}  // namespace
}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/counter_files.h"

#include <gmock/gmock.h>

#include "tests/support/fixed_file_system.h"
#include "tests/support/model_file_system.h"

namespace bulkhead {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

constexpr const char* kMount = "/sys/fs/resctrl";

class CounterFilesTest : public ::testing::TestWithParam<sim::Generation> {
 protected:
  CounterFilesTest() {
    make("foreign");
    make("bulkhead.web");
    make("bulkhead.web/mon_groups/bulkhead.part");
    source_ = std::make_unique<CounterFiles>(files_, kMount);
  }

  sim::KernelModel& host() { return kernel_.outside(); }
  void make(const std::string& group) { host().make_directory(std::string(kMount) + '/' + group); }
  void remove(const std::string& group) { host().remove_directory(std::string(kMount) + '/' + group); }

  std::vector<std::string> paths() const {
    std::vector<std::string> all;
    for (const CounterGroup& group : source_->shape().groups) all.push_back(group.path);
    return all;
  }
  std::size_t index(const std::string& path) const {
    const auto all = paths();
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), path) - all.begin());
  }
  std::vector<Reading> read(CounterEvent event, const std::string& group) {
    std::vector<Reading> readings(source_->shape().ccds.size());
    alive_ = source_->read(event, index(group), readings);
    return readings;
  }

  sim::ScriptedKernel kernel_{sim::with(sim::amd_2socket_3ccd(), GetParam())};
  testing::ModelFileSystem files_{kernel_};
  std::unique_ptr<CounterFiles> source_;
  bool alive_ = false;
};
INSTANTIATE_TEST_SUITE_P(Kernels, CounterFilesTest,
                         ::testing::Values(sim::Generation::linux_6_1, sim::Generation::linux_7));

TEST_P(CounterFilesTest, finds_all_groups_ccds_and_events) {
  EXPECT_THAT(paths(), ElementsAre("", "bulkhead.web", "bulkhead.web/mon_groups/bulkhead.part", "foreign"));
  EXPECT_THAT(source_->shape().ccds,
              ElementsAre(CacheId{0}, CacheId{1}, CacheId{2}, CacheId{4}, CacheId{5}, CacheId{6}));
  EXPECT_THAT(source_->shape().events, ElementsAre(CounterEvent::llc_occupancy, CounterEvent::mbm_total_bytes,
                                                   CounterEvent::mbm_local_bytes));
  EXPECT_THAT(source_->shape().summed, IsEmpty());
  EXPECT_EQ(source_->lack(), "");
}

TEST_P(CounterFilesTest, every_ccd_says_its_own) {
  host().set_counter("foreign", 0, "mbm_total_bytes", 3);
  host().set_counter("foreign", 4, "mbm_total_bytes", 5);
  host().fail_counter("foreign", 5, "mbm_total_bytes", sim::CounterState::unavailable);
  host().fail_counter("foreign", 6, "mbm_total_bytes", sim::CounterState::error);
  host().set_counter("foreign", 1, "llc_occupancy", 7);
  const Reading none{0, NoData::none};
  EXPECT_THAT(read(CounterEvent::mbm_total_bytes, "foreign"),
              ElementsAre(Reading{3 * 64, NoData::none}, none, none, Reading{5 * 64, NoData::none},
                          Reading{0, NoData::unavailable}, Reading{0, NoData::error}));
  EXPECT_THAT(read(CounterEvent::llc_occupancy, "foreign"),
              ElementsAre(none, Reading{7 * 64, NoData::none}, none, none, none, none));
  EXPECT_THAT(read(CounterEvent::llc_occupancy, "bulkhead.web"),
              ElementsAre(none, none, none, none, none, none));
}

TEST_P(CounterFilesTest, a_group_made_again_is_another_one) {
  const std::uint64_t id = source_->shape().groups[index("foreign")].id;
  EXPECT_FALSE(source_->rescan());
  remove("foreign");
  make("foreign");
  host().set_counter("foreign", 0, "llc_occupancy", 1);
  EXPECT_THAT(read(CounterEvent::llc_occupancy, "foreign"),
              ::testing::Each(Field(&Reading::no_data, NoData::unreadable)));
  EXPECT_FALSE(alive_);
  EXPECT_TRUE(source_->rescan());
  EXPECT_NE(source_->shape().groups[index("foreign")].id, id);
  EXPECT_EQ(read(CounterEvent::llc_occupancy, "foreign")[0], (Reading{64, NoData::none}));
  EXPECT_TRUE(alive_);
}

TEST_P(CounterFilesTest, groups_come_and_go) {
  const std::uint64_t web = source_->shape().groups[index("bulkhead.web")].id;
  remove("foreign");
  make("later");
  EXPECT_TRUE(source_->rescan());
  EXPECT_THAT(paths(), ElementsAre("", "bulkhead.web", "bulkhead.web/mon_groups/bulkhead.part", "later"));
  EXPECT_EQ(source_->shape().groups[index("bulkhead.web")].id, web);
}

TEST_P(CounterFilesTest, a_group_can_have_another_name_here) {
  host().set_counter("foreign", 0, "llc_occupancy", 5);
  EXPECT_FALSE(source_->follow({{"bulkhead.web", "bulkhead.web", {}}}));
  EXPECT_TRUE(source_->follow({{"bulkhead.ours", "foreign", {}}}));
  EXPECT_TRUE(source_->rescan());
  EXPECT_FALSE(source_->rescan());
  EXPECT_THAT(paths(),
              ElementsAre("", "bulkhead.web", "bulkhead.web/mon_groups/bulkhead.part", "bulkhead.ours"));
  EXPECT_EQ(read(CounterEvent::llc_occupancy, "bulkhead.ours")[0], (Reading{5 * 64, NoData::none}));
}

// libpqos makes all its groups in advance.
TEST_P(CounterFilesTest, groups_that_nobody_uses_yet_are_not_told) {
  for (const char* name : {"COS1", "COS2", "COS3", "COS4", "COSY"}) make(name);
  make("COS3/mon_groups/others");
  source_->rescan();
  EXPECT_THAT(paths(), ::testing::Contains("COS2"));  // whatever made it
  source_->follow({{"bulkhead.one", "COS1", {}}, {"COS4", "COS4", {}, false}});
  source_->rescan();
  EXPECT_THAT(paths(), ElementsAre("", "bulkhead.one", "COS3", "COS3/mon_groups/others", "COS4", "COSY",
                                   "bulkhead.web", "bulkhead.web/mon_groups/bulkhead.part", "foreign"));
}

TEST_P(CounterFilesTest, ccds_come_and_go) {
  const std::vector<sim::CpuPlace> places = host().world().shape.cpus;
  for (const sim::CpuPlace& place : places) {
    if (place.l3 == 6) host().take_offline(place.cpu);
  }
  read(CounterEvent::llc_occupancy, "foreign");
  EXPECT_FALSE(alive_);
  EXPECT_TRUE(source_->rescan());
  EXPECT_THAT(source_->shape().ccds, ElementsAre(CacheId{0}, CacheId{1}, CacheId{2}, CacheId{4}, CacheId{5}));
  EXPECT_EQ(read(CounterEvent::llc_occupancy, "foreign").size(), 5U);
  EXPECT_TRUE(alive_);
}

TEST(CounterFiles, has_nothing_where_nothing_is_counted) {
  sim::ScriptedKernel kernel(sim::cat_only());
  testing::ModelFileSystem files(kernel);
  CounterFiles source(files, kMount);
  EXPECT_THAT(source.shape().ccds, IsEmpty());
  EXPECT_THAT(source.shape().events, IsEmpty());
  EXPECT_EQ(source.lack(),
            "resctrl counts neither occupancy nor bandwidth on this host: see bulkhead doctor");
}

TEST(CounterFiles, names_the_ccds_whose_parts_the_kernel_sums_up) {
  const std::string data = std::string(kMount) + "/mon_data/";
  testing::FixedFileSystem files{{data + "mon_L3_00/llc_occupancy", "192\n"},
                                 {data + "mon_L3_00/mon_sub_L3_00/llc_occupancy", "64\n"},
                                 {data + "mon_L3_00/mon_sub_L3_02/llc_occupancy", "128\n"},
                                 {data + "mon_L3_100/llc_occupancy", "1\n"},
                                 {data + "mon_L3_11/llc_occupancy", "2\n"},
                                 {data + "mon_PERF_PKG_00/core_energy", "9.0\n"}};
  CounterFiles source(files, kMount);
  EXPECT_THAT(source.shape().ccds, ElementsAre(CacheId{0}, CacheId{11}, CacheId{100}));
  EXPECT_THAT(source.shape().summed, ElementsAre(CacheId{0}));
  std::vector<Reading> readings(3);
  EXPECT_TRUE(source.read(CounterEvent::llc_occupancy, 0, readings));
  EXPECT_THAT(readings,
              ElementsAre(Reading{192, NoData::none}, Reading{2, NoData::none}, Reading{1, NoData::none}));
}

TEST(CounterFiles, says_where_no_counter_is_assigned) {
  sim::KernelShape shape = sim::with(sim::amd_12ccd(2), sim::Generation::linux_7);
  shape.monitoring->assignable_counters = 2;
  sim::ScriptedKernel kernel(shape);
  kernel.outside().make_directory(std::string(kMount) + "/a");
  testing::ModelFileSystem files(kernel);
  CounterFiles source(files, kMount);
  std::vector<Reading> readings(12);
  EXPECT_TRUE(source.read(CounterEvent::mbm_total_bytes, 1, readings));
  EXPECT_THAT(readings, ::testing::Each(Reading{0, NoData::unassigned}));
}

}  // namespace
}  // namespace bulkhead

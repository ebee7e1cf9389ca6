// SPDX-License-Identifier: Apache-2.0
#include "controller/pqos/pqos_counters.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

#include "tests/unit/pqos/fake_library.h"

namespace bulkhead {
namespace {

using testing::with_fake_library;
using Row = std::array<Reading, 2>;

constexpr Reading kAbsent{0, NoData::absent};

Reading value(std::uint64_t number) {
  return {number, NoData::none};
}

Machine two_caches() {
  Machine machine;
  machine.cpus = {0, 1, 2, 3};
  machine.ccds = {{.id = CacheId{0}, .cpus = {0, 1}}, {.id = CacheId{1}, .cpus = {2, 3}}};
  return machine;
}

class PqosCountersTest : public ::testing::Test {
 protected:
  PqosCountersTest() { std::filesystem::remove_all(folder_); }
  ~PqosCountersTest() override { std::filesystem::remove_all(folder_); }

  void start(const char* fault = "") { counters_.emplace(machine_, folder_, with_fake_library(fault)); }

  Row read(CounterEvent event, std::size_t group) {
    Row row;
    EXPECT_TRUE(counters_->read(event, group, row));
    return row;
  }
  static void let_time_pass() { std::this_thread::sleep_for(std::chrono::milliseconds(25)); }

  std::vector<std::string> records() const {
    std::vector<std::string> texts;
    if (!std::filesystem::exists(folder_)) return texts;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      std::ifstream file(entry.path());
      texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return texts;
  }
  void leave_record(const std::string& text) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/counting.1") << text;
  }

  const Machine machine_ = two_caches();
  // Tests run beside each other, each in a process of its own.
  const std::string folder_ = PQOS_TEST_FOLDER "/counting-" + std::to_string(::getpid());
  const std::vector<CountedGroup> groups_{{"", "", {1, 2, 3}}, {"bulkhead.web", "COS1", {0}}};
  std::optional<PqosCounters> counters_;
};

TEST_F(PqosCountersTest, counts_each_group_on_each_of_its_ccds) {
  start();
  EXPECT_TRUE(counters_->follow(groups_));
  std::vector<CountedGroup> with_others = groups_;
  with_others.push_back({"COS3", "COS3", {4}, false});  // which has no CPU of libpqos' counting
  EXPECT_FALSE(counters_->follow(with_others));
  EXPECT_TRUE(counters_->rescan());
  EXPECT_FALSE(counters_->rescan());
  const CounterShape& shape = counters_->shape();
  EXPECT_EQ(shape.groups, (std::vector<CounterGroup>{{"", 1}, {"bulkhead.web", 2}}));
  EXPECT_EQ(shape.ccds, (std::vector<CacheId>{CacheId{0}, CacheId{1}}));
  EXPECT_EQ(shape.events, std::vector(kCounterEvents.begin(), kCounterEvents.end()));
  EXPECT_EQ(read(CounterEvent::llc_occupancy, 0), (Row{value(64 * 1001), value(64 * 1002)}));
  EXPECT_EQ(read(CounterEvent::llc_occupancy, 1), (Row{value(64 * 1000), kAbsent}));
  EXPECT_EQ(records(), std::vector<std::string>{"0 2\n1 1\n2 1\n3 1\n"});
  EXPECT_EQ(counters_->lack(), "");
  EXPECT_EQ(counters_->assign_free(), "");
}

TEST_F(PqosCountersTest, bytes_are_those_since_it_began_over_wraps) {
  start();
  counters_->follow({{"bulkhead.web", "COS1", {0}}});
  counters_->rescan();
  EXPECT_EQ(read(CounterEvent::mbm_total_bytes, 0), (Row{value(0), kAbsent}));
  EXPECT_EQ(read(CounterEvent::mbm_total_bytes, 0), (Row{value(0), kAbsent}));  // of the same sweep
  for (const std::uint64_t times : {1U, 2U, 3U}) {
    let_time_pass();
    EXPECT_EQ(read(CounterEvent::mbm_total_bytes, 0), (Row{value(times * 64000), kAbsent}));
  }
}

TEST_F(PqosCountersTest, no_data_is_no_value) {
  start("error");
  counters_->follow(groups_);
  counters_->rescan();
  EXPECT_EQ(read(CounterEvent::mbm_local_bytes, 1), (Row{Reading{0, NoData::error}, kAbsent}));
  EXPECT_EQ(read(CounterEvent::mbm_total_bytes, 1)[0].no_data, NoData::none);
  start("unavailable");
  counters_->follow(groups_);
  counters_->rescan();
  EXPECT_EQ(read(CounterEvent::llc_occupancy, 1), (Row{value(64 * 1000), kAbsent}));
  EXPECT_EQ(read(CounterEvent::mbm_local_bytes, 1), (Row{Reading{0, NoData::unavailable}, kAbsent}));
  EXPECT_EQ(read(CounterEvent::mbm_total_bytes, 1), (Row{Reading{0, NoData::not_read}, kAbsent}));
}

TEST_F(PqosCountersTest, who_keeps_its_cpus_goes_on_being_counted) {
  start();
  counters_->follow({{"", "", {2, 3}}, {"bulkhead.web", "COS1", {0}}});
  counters_->rescan();
  EXPECT_TRUE(
      counters_->follow({{"", "", {3}}, {"bulkhead.new", "COS2", {2}}, {"bulkhead.web", "COS1", {0}}}));
  EXPECT_TRUE(counters_->rescan());
  EXPECT_EQ(counters_->shape().groups,
            (std::vector<CounterGroup>{{"", 3}, {"bulkhead.new", 4}, {"bulkhead.web", 2}}));
  EXPECT_EQ(records(), std::vector<std::string>{"0 1\n2 2\n3 1\n"});
}

TEST_F(PqosCountersTest, at_rest_it_holds_nothing) {
  start();
  counters_->follow(groups_);
  counters_->rescan();
  counters_->rest();
  EXPECT_EQ(records(), std::vector<std::string>{});
  EXPECT_EQ(counters_->shape().groups, std::vector<CounterGroup>{});
  Row row;
  EXPECT_FALSE(counters_->read(CounterEvent::llc_occupancy, 0, row));
  EXPECT_EQ(row[0], (Reading{0, NoData::unreadable}));
  EXPECT_TRUE(counters_->rescan());
  EXPECT_EQ(read(CounterEvent::llc_occupancy, 1)[0], value(64 * 1000));
}

TEST_F(PqosCountersTest, what_gets_no_rmid_is_told) {
  start("one-rmid");
  counters_->follow(groups_);
  counters_->rescan();
  EXPECT_EQ(counters_->assign_free(),
            "libpqos cannot count CPU 0 (it may be that none of the 2 RMIDs is free): generic error");
  EXPECT_EQ(read(CounterEvent::llc_occupancy, 1), (Row{Reading{0, NoData::unassigned}, kAbsent}));
  counters_->follow({{"", "", {2, 3}}, {"bulkhead.web", "COS1", {0}}});
  counters_->rescan();
  EXPECT_EQ(counters_->assign_free(), "");
  EXPECT_EQ(read(CounterEvent::llc_occupancy, 1), (Row{value(64 * 1000), kAbsent}));
  start("left-and-others");
  counters_->follow(groups_);
  counters_->rescan();
  EXPECT_EQ(counters_->lack(), "");
  EXPECT_EQ(
      counters_->assign_free(),
      "CPU 3 counts for another program already, by RMID 2: end that one, or where it has ended and left "
      "it so, `pqos -r`");
  EXPECT_EQ(read(CounterEvent::llc_occupancy, 0), (Row{value(64 * 1001), Reading{0, NoData::unassigned}}));
}

TEST_F(PqosCountersTest, where_it_cannot_count_it_says_why) {
  start("no-counters");
  counters_->follow(groups_);
  counters_->rescan();
  EXPECT_EQ(counters_->lack(),
            "there are no counters: libpqos finds neither cache occupancy nor bandwidth monitoring on this "
            "processor");
  EXPECT_EQ(counters_->shape().events, std::vector<CounterEvent>{});
  start("busy");
  counters_->follow(groups_);
  counters_->rescan();
  EXPECT_EQ(counters_->lack(),
            "nothing can be counted: libpqos cannot use its msr interface here: busy. It says: ERROR: COS3 "
            "cannot be made");
  start("left");
  counters_->follow({{"bulkhead.web", "COS1", {0}}});
  counters_->rescan();
  EXPECT_EQ(counters_->lack(),
            "nothing can be counted: CPU 0 counts for another program already, by RMID 2: end that one, or "
            "where it has ended and left it so, `pqos -r`");
}

TEST_F(PqosCountersTest, takes_back_what_a_killed_one_has_left) {
  leave_record("0 2\n1 2\n");
  start("left");
  counters_->follow({{"bulkhead.web", "COS1", {0}}});
  counters_->rescan();
  EXPECT_EQ(counters_->lack(), "");
  EXPECT_EQ(records(), std::vector<std::string>{"0 1\n"});
}

TEST_F(PqosCountersTest, takes_nothing_back_that_is_not_its_own) {
  leave_record("0 1\n");
  start("left");
  counters_->follow({{"bulkhead.web", "COS1", {0}}});
  counters_->rescan();
  EXPECT_EQ(counters_->lack(),
            "nothing can be counted: CPU 0 counts for another program already, by RMID 2: end that one, or "
            "where it has ended and left it so, `pqos -r`");
  leave_record("0 2\n");
  start("left-and-others");
  counters_->follow({{"bulkhead.web", "COS1", {0}}});
  counters_->rescan();
  EXPECT_EQ(
      counters_->lack(),
      "nothing can be counted: CPU 0 still counts for a Bulkhead that was killed, and libpqos can only end "
      "that for all CPUs at once: CPU 3 counts for somebody else. Once it does not, `pqos -r` ends it");
  EXPECT_EQ(records(), std::vector<std::string>{"0 2\n"});
}

TEST(ByteCount, a_gap_and_a_restart_add_nothing) {
  const PqosUnit unit{.event = CounterEvent::mbm_total_bytes, .bytes = 64, .bits = 24};
  ByteCount count;
  EXPECT_EQ(count.take(value(5000), unit), value(0));
  EXPECT_EQ(count.take(value(5001), unit), value(64));
  EXPECT_EQ(count.take({0, NoData::unavailable}, unit), (Reading{0, NoData::unavailable}));
  EXPECT_EQ(count.take(value(9000), unit), value(64));
  EXPECT_EQ(count.take(value(9002), unit), value(192));
  EXPECT_EQ(count.take(value(10), unit), value(0));
  EXPECT_EQ(count.take(value((1 << 24) - 1), unit), value(0));
}

}  // namespace
}  // namespace bulkhead

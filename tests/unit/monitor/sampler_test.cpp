// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/sampler.h"

#include <gmock/gmock.h>
#include <utility>

#include "controller/monitor/snapshot.h"

namespace bulkhead {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

// Counts that a test sets; remembers what was read.
class SetCounters : public CounterSource {
 public:
  SetCounters() { next_.ccds = {CacheId{0}, CacheId{3}}; }

  const CounterShape& shape() const override { return shape_; }

  bool follow(const std::vector<CountedGroup>& groups) override {
    return std::exchange(followed, groups.size()) != groups.size();
  }

  bool rescan() override {
    ++rescans;
    const bool changed = shape_.groups != next_.groups || shape_.ccds != next_.ccds;
    shape_ = next_;
    return changed;
  }

  bool read(CounterEvent event, std::size_t group, std::span<Reading> into) override {
    if (group == 0) reads.push_back(event);
    const bool there = next_.groups.size() > group && next_.groups[group].id == shape_.groups[group].id;
    for (std::size_t ccd = 0; ccd < shape_.ccds.size(); ++ccd) {
      into[ccd] = there ? values[{shape_.groups[group].path, event, shape_.ccds[ccd].value}]
                        : Reading{0, NoData::unreadable};
    }
    return there;
  }

  void set(const std::string& group, CounterEvent event, unsigned ccd, std::uint64_t value) {
    values[{group, event, ccd}] = {value, NoData::none};
  }

  CounterShape next_{
      .groups = {{"", 1}, {"web", 2}},
      .ccds = {},
      .events = {CounterEvent::llc_occupancy, CounterEvent::mbm_total_bytes, CounterEvent::mbm_local_bytes},
      .summed = {}};
  std::map<std::tuple<std::string, CounterEvent, unsigned>, Reading> values;
  std::vector<CounterEvent> reads;
  int rescans = 0;
  std::size_t followed = 0;

 private:
  CounterShape shape_;
};

class SamplerTest : public ::testing::Test {
 protected:
  void pass(milliseconds time) { now_ += time; }
  Measured total(const std::string& group, unsigned ccd) {
    return snapshot(sampler_, seconds(10)).find(group)->find(CacheId{ccd})->total;
  }

  MonotonicTime now_{seconds(1000)};
  SetCounters source_;
  Sampler sampler_{source_, {}, [this] { return now_; }};
};

TEST_F(SamplerTest, reads_each_counter_as_often_as_it_is_worth) {
  for (int second = 0; second < 11; ++second) {
    EXPECT_TRUE(sampler_.sample());
    EXPECT_FALSE(sampler_.sample());
    pass(seconds(1));
  }
  EXPECT_EQ(std::count(source_.reads.begin(), source_.reads.end(), CounterEvent::mbm_total_bytes), 11);
  EXPECT_EQ(std::count(source_.reads.begin(), source_.reads.end(), CounterEvent::llc_occupancy), 3);
  EXPECT_EQ(std::count(source_.reads.begin(), source_.reads.end(), CounterEvent::mbm_local_bytes), 0);
  EXPECT_EQ(source_.rescans, 3);
  sampler_.sample({CounterEvent::mbm_local_bytes});
  EXPECT_EQ(source_.reads.back(), CounterEvent::mbm_local_bytes);
}

TEST_F(SamplerTest, other_groups_to_follow_are_looked_for_at_once) {
  sampler_.sample();
  sampler_.follow({{"web", "web", {}}});
  pass(seconds(1));
  sampler_.sample();
  EXPECT_EQ(source_.rescans, 2);
  sampler_.follow({{"web", "web", {}}});
  pass(seconds(1));
  sampler_.sample();
  EXPECT_EQ(source_.rescans, 2);
}

TEST_F(SamplerTest, who_is_woken_a_little_early_reads_all_the_same) {
  sampler_.sample();
  pass(milliseconds(950));
  EXPECT_TRUE(sampler_.sample());
  pass(milliseconds(500));
  EXPECT_FALSE(sampler_.sample());
}

TEST_F(SamplerTest, rates_come_from_what_was_read) {
  source_.set("web", CounterEvent::mbm_total_bytes, 3, 100);
  sampler_.sample();
  EXPECT_EQ(total("web", 3), (Measured{0, NoData::first_sample}));
  pass(seconds(2));
  source_.set("web", CounterEvent::mbm_total_bytes, 3, 500);
  sampler_.sample();
  EXPECT_EQ(total("web", 3), (Measured{200, NoData::none}));
  EXPECT_EQ(total("web", 0), (Measured{0, NoData::not_read}));
}

TEST_F(SamplerTest, a_group_that_was_made_again_begins_anew_and_others_go_on) {
  for (const char* group : {"", "web"}) source_.set(group, CounterEvent::mbm_total_bytes, 0, 1000);
  sampler_.sample();
  pass(seconds(1));
  source_.next_.groups[1].id = 7;
  sampler_.sample();  // notices
  pass(seconds(1));
  for (const char* group : {"", "web"}) source_.set(group, CounterEvent::mbm_total_bytes, 0, 3000);
  sampler_.sample();
  EXPECT_EQ(total("web", 0), (Measured{0, NoData::first_sample}));
  EXPECT_EQ(total("", 0), (Measured{1000, NoData::none}));
  EXPECT_EQ(source_.rescans, 2);
}

TEST_F(SamplerTest, groups_that_come_before_do_not_take_the_counts_of_others) {
  source_.set("web", CounterEvent::mbm_total_bytes, 0, 1000);
  source_.set("", CounterEvent::mbm_total_bytes, 0, 5);
  sampler_.sample();
  source_.next_.groups = {{"", 1}, {"new", 9}, {"web", 2}};
  source_.set("new", CounterEvent::mbm_total_bytes, 0, 77);
  source_.set("web", CounterEvent::mbm_total_bytes, 0, 6000);
  source_.set("", CounterEvent::mbm_total_bytes, 0, 10);
  pass(seconds(5));
  sampler_.sample();
  EXPECT_EQ(total("new", 0), (Measured{0, NoData::first_sample}));
  EXPECT_EQ(total("web", 0), (Measured{1000, NoData::none}));
  EXPECT_EQ(total("", 0), (Measured{1, NoData::none}));
}

TEST_F(SamplerTest, other_ccds_begin_anew) {
  source_.set("", CounterEvent::mbm_total_bytes, 0, 1);
  sampler_.sample();
  source_.next_.ccds = {CacheId{0}};
  pass(seconds(5));
  sampler_.sample();
  EXPECT_EQ(total("", 0), (Measured{0, NoData::first_sample}));
}

TEST(SumOf, counts_those_without_data) {
  const auto ccd = [](unsigned id, Measured total) {
    CcdCounters counters;
    counters.ccd = CacheId{id};
    counters.total = total;
    return counters;
  };
  const GroupCounters group{
      "web", {ccd(0, {5, NoData::none}), ccd(1, {0, NoData::unavailable}), ccd(2, {6, NoData::none})}};
  const Sum some = sum_of(group, &CcdCounters::total);
  EXPECT_EQ(some.sum, (Measured{11, NoData::none}));
  EXPECT_EQ(some.without_data, 1U);
  const Sum none = sum_of({"web", {ccd(1, {0, NoData::unavailable})}}, &CcdCounters::total);
  EXPECT_EQ(none.sum, (Measured{0, NoData::unavailable}));
}

}  // namespace
}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// Commands and pages as sources: what they say, and all that is no number.
#include "controller/experiment/meters.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <optional>
#include <sys/stat.h>

#include "controller/base/error.h"
#include "policies/experiment_reader.h"

namespace bulkhead {
namespace {

using std::chrono::milliseconds;

class NoHost : public ExperimentHost {
 public:
  StateBefore in_force() override { return {}; }
  std::string plan(const PolicySource&) override { return {}; }
  void put_in_force(const PolicySource&) override {}
  void restore(const StateBefore&) override {}
  ServiceUse use_of(const std::string&) override { return {}; }
  std::map<std::string, std::string> facts() override { return {}; }
};

// Its counters are read one after the other, and each is slow to read.
class SlowHost : public NoHost {
 public:
  ServiceUse use_of(const std::string&) override {
    ++asked;
    ServiceUse use;
    use.total_bytes = {bytes * 2, at};
    use.local_bytes = {bytes, at + lag};
    use.occupancy = 5;
    return use;
  }
  std::chrono::steady_clock::time_point at;
  std::chrono::steady_clock::duration lag{};
  double bytes = 0;
  unsigned asked = 0;
};

TEST(ServiceCounters, are_divided_by_the_time_between_their_own_readings) {
  const Experiment experiment = require_experiment(
      R"({"experiment": 1, "name": "t", "arms": {"a": {"policy": "a.json"}, "b": {"policy": "b.json"}}, "control": "a",
          "metrics": {"total": {"service": "web", "counter": "total_bandwidth", "better": "lower"},
                      "local": {"service": "web", "counter": "local_bandwidth", "better": "lower"},
                      "lines": {"service": "web", "counter": "occupancy", "better": "lower"}}, "primary": "total"})",
      "t.json");
  SlowHost host;
  Meters meters(experiment, "/tmp", host);
  meters.begin();
  EXPECT_EQ(meters.at_start(2).value, 5);
  EXPECT_FALSE(meters.at_start(0).value);
  meters.halfway();
  EXPECT_EQ(meters.first_half(0).why_none, "no time has passed between two looks");
  host.at += std::chrono::seconds(10);
  host.lag = std::chrono::seconds(5);
  host.bytes = 3000;
  meters.end();
  EXPECT_EQ(meters.whole(0).value, 600);
  EXPECT_EQ(meters.whole(1).value, 200);
  EXPECT_EQ(host.asked, 3U) << "once at each moment, whatever of it is wanted";
}

// What one window says of a metric that a command measures.
MetricReading reading_of(const std::string& command, const std::string& more = "") {
  const Experiment experiment = require_experiment(
      R"({"experiment": 1, "name": "t", "arms": {"a": {"policy": "none"}, "b": {"policy": "b.json"}}, "control": "a",
          "metrics": {"m": {"command": )" +
          command + R"(, "better": "higher")" + more + R"(}}, "primary": "m", "window": "2500ms"})",
      "t.json");
  NoHost host;
  Meters meters(experiment, "/tmp", host);
  meters.begin();
  meters.halfway();
  meters.drain();
  meters.end();
  EXPECT_THAT(meters.whole(0).why_none,
              ::testing::AnyOf("the command has not ended yet", ::testing::StartsWith("cannot run")));
  meters.finish_commands([] { return false; });
  EXPECT_FALSE(meters.first_half(0).value);
  return meters.whole(0);
}

std::string reason(const std::string& command, const std::string& more = "") {
  const MetricReading reading = reading_of(command, more);
  EXPECT_FALSE(reading.value);
  return reading.why_none;
}

TEST(Commands, print_one_number) {
  EXPECT_EQ(reading_of(R"(["echo", " 12.5 "])").value, 12.5);
  EXPECT_EQ(reading_of(R"(["echo", "{seconds}"])").value, 2.5);
  EXPECT_EQ(reason(R"(["echo", "12 apples"])"), "echo printed \"12 apples\", which is not one number");
  EXPECT_EQ(reason(R"(["echo", "nan"])"), "echo printed \"nan\", which is not one number");
  EXPECT_EQ(reason(R"(["true"])"), "true printed nothing, which is not one number");
  EXPECT_EQ(reason(R"(["sh", "-c", "exit 3"])"), "sh ended with status 3");
  EXPECT_EQ(reason(R"(["sh", "-c", "echo starting >&2; echo 'wrk: no \tserver' >&2; echo >&2; exit 1"])"),
            "sh ended with status 1: wrk: no \\tserver");
  EXPECT_EQ(reason(R"(["sh", "-c", "kill -9 $$"])"), "sh was ended by a signal: Killed");
  EXPECT_THAT(reason(R"(["/no/such/program"])"), ::testing::StartsWith("cannot run (/no/such/program: "));
}

TEST(Commands, print_samples_of_which_a_quantile_is_taken) {
  const std::string quantile = R"(, "quantile": 0.5, "least_requests": 10)";
  const MetricReading median = reading_of(R"(["seq", "1", "101"])", quantile);
  ASSERT_TRUE(median.value);
  EXPECT_NEAR(*median.value, 51, 0.51);
  EXPECT_EQ(reason(R"(["seq", "1", "9"])", quantile), "too few: 9 samples, where it takes 10");
  EXPECT_EQ(reason(R"(["echo", "1\n2\nx"])", quantile), "echo printed \"x\", which is no sample");
}

ChildProcess::Clock::time_point after(milliseconds patience) {
  return ChildProcess::Clock::now() + patience;
}

std::string end_of(ChildProcess& child, milliseconds patience) {
  const auto end = child.finish(after(patience), [] { return false; });
  return end ? end->why_none : "it has not ended";
}

TEST(Commands, are_killed_with_all_that_they_started) {
  const auto begun = std::chrono::steady_clock::now();
  ChildProcess child({"sh", "-c", "sleep 1000 & echo $!; wait"}, "/");
  EXPECT_FALSE(child.finish(after(milliseconds(100)), [] { return false; }));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30));
}

TEST(Commands, are_given_up_by_whom_they_hold_up) {
  unsigned asked = 0;
  ChildProcess child({"sleep", "1000"}, "/");
  EXPECT_FALSE(child.finish(after(std::chrono::hours(1)), [&] { return ++asked > 2; }));
  EXPECT_EQ(asked, 3U);
}

TEST(Commands, that_do_not_end_are_named_with_their_time) {
  try {
    run_command({"sh", "-c", "echo 'still at it' >&2; sleep 1000"}, "/", milliseconds(300));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "sh had not ended after 300 ms: it was killed: still at it");
  }
}

TEST(Commands, whose_output_has_no_end_cost_bounded_memory) {
  ChildProcess child({"sh", "-c", "head -c 20000000 /dev/zero"}, "/");
  EXPECT_EQ(end_of(child, std::chrono::seconds(60)), "sh wrote more than 16 MiB");
}

// Each writes faster than anybody reads, until it is killed.
TEST(Commands, who_write_without_end_take_no_time_without_end) {
  const auto end_of_script = [](const char* script, milliseconds patience = std::chrono::minutes(1)) {
    ChildProcess child({"sh", "-c", script}, "/");
    return end_of(child, patience);
  };
  EXPECT_EQ(end_of_script("exec yes"), "sh wrote more than 16 MiB");
  EXPECT_EQ(end_of_script("exec yes >&2", milliseconds(200)), "it has not ended");
  EXPECT_EQ(end_of_script("echo 5; yes >&2 & sleep 0.05"), "");
}

TEST(Commands, that_complain_at_length_are_quoted_with_their_last_line) {
  ChildProcess child({"sh", "-c", "yes | head -c 300000 >&2; echo 'and this is why' >&2; exit 7"}, "/");
  EXPECT_EQ(end_of(child, std::chrono::seconds(60)), "sh ended with status 7: and this is why");
}

class ThreeLooks : public ::testing::Test {
 protected:
  ~ThreeLooks() override { std::filesystem::remove(kPage); }

  // A page that says this at the start, in the middle and at the end of a window.
  void look(const std::string& metric, const std::array<double, 3>& values) {
    experiment_ = require_experiment(
        R"({"experiment": 1, "name": "t", "arms": {"a": {"policy": "none"}, "b": {"policy": "b.json"}}, "control": "a",
            "metrics": {"m": {"page": ")" +
            kPage + R"(", )" + metric + R"(, "better": "higher"}}, "primary": "m"})",
        "t.json");
    meters_.emplace(experiment_, "/tmp", host_);
    show(values[0]);
    meters_->begin();
    show(values[1]);
    meters_->halfway();
    show(values[2]);
    meters_->end();
  }

  const std::string kPage = ::testing::TempDir() + "three-looks.prom";
  std::optional<Meters> meters_;

 private:
  void show(double value) {
    std::ofstream(kPage) << "c_total " << value << "\nseconds_total " << ++seconds_ << '\n';
  }

  Experiment experiment_;
  NoHost host_;
  int seconds_ = 0;
};

TEST_F(ThreeLooks, at_a_counter_that_fell_in_between_are_no_number_though_it_is_higher_in_the_end) {
  look(R"("rate": "c_total", "per": "seconds_total")", {1000, 5, 1100});
  EXPECT_FALSE(meters_->whole(0).value);
  EXPECT_EQ(meters_->whole(0).why_none, "the counter c_total went backwards, from 1000 to 5");
  look(R"("rate": "c_total", "per": "seconds_total")", {1000, 1050, 1100});
  EXPECT_NEAR(meters_->whole(0).value.value_or(0), 50, 1e-6);
}

TEST_F(ThreeLooks, at_a_value_tell_it_from_the_start_on) {
  look(R"("value": "c_total")", {7, 5, 6});
  EXPECT_EQ(meters_->at_start(0).value, 7);
  EXPECT_EQ(meters_->first_half(0).value, 5);
  EXPECT_EQ(meters_->whole(0).value, 6);
  look(R"("rate": "c_total")", {7, 8, 9});
  EXPECT_FALSE(meters_->at_start(0).value);
}

TEST(Pages, that_cannot_be_read_say_why) {
  EXPECT_THAT(read_page("http://127.0.0.1:1/metrics", "/").why_none,
              ::testing::StartsWith("http://127.0.0.1:1/metrics cannot be read: "));
  EXPECT_EQ(read_page("no-such-page", "/tmp").why_none,
            "/tmp/no-such-page cannot be read: No such file or directory");
  EXPECT_EQ(read_page(".", "/tmp").why_none, "/tmp/. cannot be read: it is no regular file");
  const std::string fifo = ::testing::TempDir() + "bulkhead-page-fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(read_page(fifo, "/").why_none, fifo + " cannot be read: it is no regular file");
  std::filesystem::remove(fifo);
}

}  // namespace
}  // namespace bulkhead

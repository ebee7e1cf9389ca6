// SPDX-License-Identifier: Apache-2.0
// Commands and pages as sources: what they say, and all that is no number.
#include "controller/experiment/meters.h"

#include <filesystem>
#include <gmock/gmock.h>
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

TEST(Commands, are_killed_with_all_that_they_started) {
  const auto begun = std::chrono::steady_clock::now();
  ChildProcess child({"sh", "-c", "sleep 1000 & echo $!; wait"}, "/");
  const CommandEnd end = child.finish(milliseconds(100));
  EXPECT_EQ(end.why_none, "sh had not ended 100 ms after it should have: it was killed");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30));
}

TEST(Commands, whose_output_has_no_end_cost_bounded_memory) {
  ChildProcess child({"sh", "-c", "head -c 20000000 /dev/zero"}, "/");
  EXPECT_EQ(child.finish(std::chrono::seconds(60)).why_none, "sh wrote more than 16 MiB");
}

// Each writes faster than anybody reads, until it is killed.
TEST(Commands, who_write_without_end_take_no_time_without_end) {
  const auto end_of = [](const char* script, milliseconds patience = std::chrono::minutes(1)) {
    ChildProcess child({"sh", "-c", script}, "/");
    return child.finish(patience).why_none;
  };
  EXPECT_EQ(end_of("exec yes"), "sh wrote more than 16 MiB");
  EXPECT_THAT(end_of("exec yes >&2", milliseconds(200)),
              ::testing::StartsWith("sh had not ended 200 ms after it should have: it was killed"));
  EXPECT_EQ(end_of("echo 5; yes >&2 & sleep 0.05"), "");
}

TEST(Commands, that_complain_at_length_are_quoted_with_their_last_line) {
  ChildProcess child({"sh", "-c", "yes | head -c 300000 >&2; echo 'and this is why' >&2; exit 7"}, "/");
  EXPECT_EQ(child.finish(std::chrono::seconds(60)).why_none, "sh ended with status 7: and this is why");
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

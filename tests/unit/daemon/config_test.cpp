// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/config.h"

#include <filesystem>

#include "tests/unit/daemon/scratch_folder.h"

namespace bulkhead {
namespace {

using std::chrono::milliseconds;

// All problems of a configuration, a line each.
std::string problems_of(const std::string& text) {
  const ConfigReading reading = read_config(text);
  EXPECT_EQ(reading.config.has_value(), reading.diagnostics.empty());
  return render("c", reading.diagnostics);
}

std::string problems_with(const std::string& member) {
  return problems_of("{\"bulkheadd\": 1, " + member + "}");
}

TEST(DaemonConfig, everything_has_a_default) {
  const DaemonConfig config = *read_config("{\"bulkheadd\": 1}").config;
  EXPECT_EQ(config.on_drift, OnDrift::repair);
  EXPECT_EQ(config.sweep, milliseconds(30'000));
  EXPECT_EQ(config.admin_group, "bulkhead");
  EXPECT_EQ(config.read_group, "bulkhead-read");
  EXPECT_EQ(config.policy, "");
  EXPECT_EQ(config.audit_log, "");
  EXPECT_EQ(config.metrics_file, "");
  EXPECT_EQ(config.actuator, "auto");
  EXPECT_EQ(config.ccd_bandwidth, 0U);
}

TEST(DaemonConfig, each_key_says_what_it_says) {
  const ConfigReading reading = read_config(R"({
    "bulkheadd": 1,              // comments are allowed
    "on_drift": "report",
    "sweep": "250ms",
    "admin_group": "wheel",
    "read_group": "adm",
    "policy": "/etc/bulkhead/policy.json",
    "audit_log": "/var/log/bulkhead.log",
    "metrics_file": "/var/lib/node/bulkhead.prom",
    "actuator": "pqos-os",
    "ccd_bandwidth": "40GB/s"
  })");
  ASSERT_TRUE(reading.config) << render("c", reading.diagnostics);
  const DaemonConfig& config = *reading.config;
  EXPECT_EQ(config.on_drift, OnDrift::report);
  EXPECT_EQ(config.sweep, milliseconds(250));
  EXPECT_EQ(config.admin_group, "wheel");
  EXPECT_EQ(config.read_group, "adm");
  EXPECT_EQ(config.policy, "/etc/bulkhead/policy.json");
  EXPECT_EQ(config.audit_log, "/var/log/bulkhead.log");
  EXPECT_EQ(config.metrics_file, "/var/lib/node/bulkhead.prom");
  EXPECT_EQ(config.actuator, "pqos-os");
  EXPECT_EQ(config.ccd_bandwidth, 40'000'000'000U);
}

TEST(DaemonConfig, all_that_is_wrong_is_told_with_its_place) {
  EXPECT_EQ(problems_with(R"("sweep": 30)"),
            "c:1:27: /sweep: 30 is not a time from 100 ms to an hour: write \"30s\"\n");
  EXPECT_EQ(problems_with(R"("sweep": "99ms")"),
            "c:1:27: /sweep: \"99ms\" is not a time from 100 ms to an hour: write \"30s\"\n");
  EXPECT_EQ(read_config(R"({"bulkheadd": 1, "sweep": "1h"})").config->sweep, std::chrono::hours(1));
  EXPECT_EQ(problems_with(R"("sweep": "61m")"),
            "c:1:27: /sweep: \"61m\" is not a time from 100 ms to an hour: write \"30s\"\n");
  EXPECT_EQ(problems_with(R"("on_drift": "ignore")"),
            "c:1:30: /on_drift: \"ignore\" is not one of \"repair\" and \"report\": write \"repair\"\n");
  EXPECT_EQ(problems_with(R"("admin_group": "a b")"),
            "c:1:33: /admin_group: \"a b\" is not the name of a group: write \"bulkhead\"\n");
  EXPECT_EQ(problems_with(R"("read_group": "")"),
            "c:1:32: /read_group: \"\" is not the name of a group: write \"bulkhead-read\"\n");
  EXPECT_EQ(
      problems_with(R"("policy": "policy.json")"),
      "c:1:28: /policy: \"policy.json\" is not an absolute path: write \"/etc/bulkhead/policy.json\"\n");
  EXPECT_EQ(
      problems_with(R"("audit_log": "/var/log/")"),
      "c:1:31: /audit_log: \"/var/log/\" is not an absolute path: write \"/var/log/bulkhead/audit.log\"\n");
  EXPECT_EQ(problems_with(R"("metrics_file": "/var/lib/bulkhead.txt")"),
            "c:1:34: /metrics_file: \"/var/lib/bulkhead.txt\" is not an absolute path that ends in .prom: "
            "write \"/var/lib/prometheus/node-exporter/bulkhead.prom\"\n");
  EXPECT_EQ(problems_with(R"("ccd_bandwidth": "0GB/s")"),
            "c:1:35: /ccd_bandwidth: \"0GB/s\" is not a rate: write \"40GB/s\"\n");
  EXPECT_EQ(problems_with(R"("ccd_bandwidth": "40")"),
            "c:1:35: /ccd_bandwidth: \"40\" is not a rate: write \"40GB/s\"\n");
  EXPECT_EQ(problems_with(R"("swep": "30s")"),
            "c:1:18: /swep: unknown key \"swep\": did you mean \"sweep\"?\n");
  EXPECT_EQ(problems_with(R"("sweep": "30s", "sweep": "40s")"),
            "c:1:34: the key \"sweep\" is here a second time: it was given at 1:18 already\n");
  EXPECT_EQ(problems_of("{}"), "c:1:1: the key \"bulkheadd\" is missing: add \"bulkheadd\": 1\n");
  EXPECT_EQ(problems_of("{\"bulkheadd\": 2}"),
            "c:1:15: /bulkheadd: 2 is out of range: the version of this language is 1 to 1\n");
  EXPECT_EQ(problems_of("[]"),
            "c:1:1: an empty array is not a configuration of bulkheadd: write {\"bulkheadd\": 1}\n");
  EXPECT_EQ(problems_of(""), "c:1:1: the file is empty: the smallest configuration is {\"bulkheadd\": 1}\n");
  EXPECT_EQ(problems_with("\n\"sweep\": \"x\",\n  \"policy\": \"y\""),
            "c:2:10: /sweep: \"x\" is not a time from 100 ms to an hour: write \"30s\"\n"
            "c:3:13: /policy: \"y\" is not an absolute path: write \"/etc/bulkhead/policy.json\"\n");
}

class DaemonConfigFile : public ScratchFolder {};

TEST_F(DaemonConfigFile, one_that_is_not_there_is_the_defaults_unless_it_was_named) {
  EXPECT_EQ(load_config(file("none"), false).admin_group, "bulkhead");
  EXPECT_EQ(error_of([&] { load_config(file("none"), true); }, ErrorCode::not_found),
            "cannot read (" + file("none") + ": No such file or directory)");
}

TEST_F(DaemonConfigFile, its_first_problem_is_the_error) {
  const std::string path = write("c.json", "{\"bulkheadd\": 1, \"sweep\": \"x\", \"policy\": \"y\"}");
  EXPECT_EQ(error_of([&] { load_config(path, false); }, ErrorCode::invalid),
            path + ":1:27: \"x\" is not a time from 100 ms to an hour: write \"30s\" (and 1 more)");
}

TEST_F(DaemonConfigFile, others_must_not_write_it) {
  const std::string path = write("c.json", "{\"bulkheadd\": 1}");
  std::filesystem::permissions(path, std::filesystem::perms(0620));
  EXPECT_EQ(error_of([&] { load_config(path, false); }, ErrorCode::permission),
            path + " may be written by others: make it writable for its owner only (chmod go-w)");
}

}  // namespace
}  // namespace bulkhead

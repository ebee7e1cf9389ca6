// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/metrics.h"

#include <sys/stat.h>

#include "tests/unit/daemon/scratch_folder.h"

namespace bulkhead {
namespace {

// Without the lines of help, of which there is one before each type.
std::string samples(const std::string& page) {
  std::string lines;
  for (std::size_t start = 0; start < page.size();) {
    const std::size_t end = page.find('\n', start);
    if (page.compare(start, 7, "# HELP ") != 0) lines += page.substr(start, end - start) + '\n';
    start = end + 1;
  }
  return lines;
}

TEST(MetricsPage, has_every_number) {
  Metrics metrics{.policy = "halves", .generation = 7, .drift = {{"cpuset", 1}, {"mask", 2}}, .waiting = 3};
  metrics.looks = 10;
  metrics.look_failures = 1;
  metrics.look_failing = true;
  metrics.state_unwritten = true;
  metrics.repairs = 4;
  metrics.repair_failures = 5;
  metrics.followed_threads = 6;
  metrics.last_look = 1'796'064'607.25;
  metrics.applies.take(0.02);
  metrics.applies.take(20);
  metrics.look_durations.take(0.001);
  metrics.behaviour = {{{"bandwidth", "violated"}, 1}, {{"occupancy", "holds"}, 12}};
  CcdCounters ccd{.ccd = CacheId{3}};
  ccd.readings = {Reading{4096, NoData::none}, Reading{0, NoData::unavailable}, Reading{}};
  metrics.counters.groups = {{"theirs \"\\", {ccd}}};
  ccd.readings[1] = {12345678901234, NoData::none};
  metrics.counters.groups.push_back({"", {ccd}});
  metrics.perf = {.services = {{"web", "cycles", 2.5e9}, {"web", "dram_fills", 1'000'000}},
                  .ipc = {{"web", "", 1.25}},
                  .ccds = {{"3", "l3_misses", 12.5}}};
  metrics.api_clients = 8;
  metrics.api_requests = 20'000'000'000U;
  metrics.api_refusals = 9;
  metrics.api_turned_away = 11;
  metrics.api_lost_events = 12;
  EXPECT_EQ(samples(metrics_text(metrics)), R"(# TYPE bulkhead_policy_info gauge
bulkhead_policy_info{policy="halves"} 1
# TYPE bulkhead_generation gauge
bulkhead_generation 7
# TYPE bulkhead_drift_findings gauge
bulkhead_drift_findings{kind="cpuset"} 1
bulkhead_drift_findings{kind="mask"} 2
# TYPE bulkhead_drifting gauge
bulkhead_drifting 1
# TYPE bulkhead_waiting_services gauge
bulkhead_waiting_services 3
# TYPE bulkhead_behaviour_judgements gauge
bulkhead_behaviour_judgements{kind="bandwidth",verdict="violated"} 1
bulkhead_behaviour_judgements{kind="occupancy",verdict="holds"} 12
# TYPE bulkhead_llc_occupancy_bytes gauge
bulkhead_llc_occupancy_bytes{group="theirs \"\\",ccd="3"} 4096
bulkhead_llc_occupancy_bytes{group="",ccd="3"} 4096
# TYPE bulkhead_mbm_bytes_total counter
bulkhead_mbm_bytes_total{group="",ccd="3"} 12345678901234
# TYPE bulkhead_service_events_per_second gauge
bulkhead_service_events_per_second{service="web",event="cycles"} 2500000000
bulkhead_service_events_per_second{service="web",event="dram_fills"} 1000000
# TYPE bulkhead_service_instructions_per_cycle gauge
bulkhead_service_instructions_per_cycle{service="web"} 1.25
# TYPE bulkhead_ccd_events_per_second gauge
bulkhead_ccd_events_per_second{ccd="3",event="l3_misses"} 12.5
# TYPE bulkhead_looks_total counter
bulkhead_looks_total 10
# TYPE bulkhead_look_failures_total counter
bulkhead_look_failures_total 1
# TYPE bulkhead_look_failing gauge
bulkhead_look_failing 1
# TYPE bulkhead_last_look_timestamp_seconds gauge
bulkhead_last_look_timestamp_seconds 1796064607.25
# TYPE bulkhead_state_unwritten gauge
bulkhead_state_unwritten 1
# TYPE bulkhead_repairs_total counter
bulkhead_repairs_total 4
# TYPE bulkhead_repair_failures_total counter
bulkhead_repair_failures_total 5
# TYPE bulkhead_followed_threads_total counter
bulkhead_followed_threads_total 6
# TYPE bulkhead_apply_duration_seconds histogram
bulkhead_apply_duration_seconds_bucket{le="0.001"} 0
bulkhead_apply_duration_seconds_bucket{le="0.0025"} 0
bulkhead_apply_duration_seconds_bucket{le="0.005"} 0
bulkhead_apply_duration_seconds_bucket{le="0.01"} 0
bulkhead_apply_duration_seconds_bucket{le="0.025"} 1
bulkhead_apply_duration_seconds_bucket{le="0.05"} 1
bulkhead_apply_duration_seconds_bucket{le="0.1"} 1
bulkhead_apply_duration_seconds_bucket{le="0.25"} 1
bulkhead_apply_duration_seconds_bucket{le="0.5"} 1
bulkhead_apply_duration_seconds_bucket{le="1"} 1
bulkhead_apply_duration_seconds_bucket{le="2.5"} 1
bulkhead_apply_duration_seconds_bucket{le="10"} 1
bulkhead_apply_duration_seconds_bucket{le="+Inf"} 2
bulkhead_apply_duration_seconds_sum 20.02
bulkhead_apply_duration_seconds_count 2
# TYPE bulkhead_look_duration_seconds histogram
bulkhead_look_duration_seconds_bucket{le="0.001"} 1
bulkhead_look_duration_seconds_bucket{le="0.0025"} 1
bulkhead_look_duration_seconds_bucket{le="0.005"} 1
bulkhead_look_duration_seconds_bucket{le="0.01"} 1
bulkhead_look_duration_seconds_bucket{le="0.025"} 1
bulkhead_look_duration_seconds_bucket{le="0.05"} 1
bulkhead_look_duration_seconds_bucket{le="0.1"} 1
bulkhead_look_duration_seconds_bucket{le="0.25"} 1
bulkhead_look_duration_seconds_bucket{le="0.5"} 1
bulkhead_look_duration_seconds_bucket{le="1"} 1
bulkhead_look_duration_seconds_bucket{le="2.5"} 1
bulkhead_look_duration_seconds_bucket{le="10"} 1
bulkhead_look_duration_seconds_bucket{le="+Inf"} 1
bulkhead_look_duration_seconds_sum 0.001
bulkhead_look_duration_seconds_count 1
# TYPE bulkhead_api_clients gauge
bulkhead_api_clients 8
# TYPE bulkhead_api_requests_total counter
bulkhead_api_requests_total 20000000000
# TYPE bulkhead_api_refusals_total counter
bulkhead_api_refusals_total 9
# TYPE bulkhead_api_turned_away_total counter
bulkhead_api_turned_away_total 11
# TYPE bulkhead_api_lost_events_total counter
bulkhead_api_lost_events_total 12
)");
}

TEST(MetricsPage, names_no_policy_where_none_is_in_force) {
  const std::string page = metrics_text({});
  EXPECT_NE(page.find("# TYPE bulkhead_policy_info gauge\n# HELP bulkhead_generation "), std::string::npos);
  EXPECT_NE(page.find("\nbulkhead_drifting 0\n"), std::string::npos);
  EXPECT_EQ(page.find("bulkhead_drift_findings{"), std::string::npos);
}

class MetricsFile : public ScratchFolder {};

TEST_F(MetricsFile, is_replaced_and_readable_by_all) {
  const std::string path = write("b.prom", "longer than what comes");
  write("b.prom.new", "left by one that was killed, and longer, too");
  write_metrics_file(path, "x 1\n");
  EXPECT_EQ(read("b.prom"), "x 1\n");
  EXPECT_FALSE(std::filesystem::exists(path + ".new"));
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0644U);
}

TEST_F(MetricsFile, that_cannot_be_written_is_an_error) {
  EXPECT_EQ(error_of([&] { write_metrics_file(file("none/b.prom"), "x"); }, ErrorCode::not_found),
            "cannot write (" + file("none/b.prom.new") + ": No such file or directory)");
}

}  // namespace
}  // namespace bulkhead

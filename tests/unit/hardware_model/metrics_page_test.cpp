// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/metrics_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bulkhead::sim {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(MetricsPage, is_prometheus_text) {
  const std::vector<ServiceSpec> services{{.name = "web"}};
  std::vector<ServiceMetrics> metrics(1);
  metrics[0].histogram.add(1000, {.p50 = 0.0625, .p99 = 0.125});
  const std::string page = metrics_page(services, metrics);
  EXPECT_THAT(page, StartsWith(R"(# HELP proxy_requests_total Requests that were answered.
# TYPE proxy_requests_total counter
proxy_requests_total{service="web"} 1000
# HELP proxy_request_duration_seconds How long answers took.
# TYPE proxy_request_duration_seconds histogram
proxy_request_duration_seconds_bucket{service="web",le="0.0001220703125"} 0
)"));
  EXPECT_THAT(page, HasSubstr("{service=\"web\",le=\"0.0625\"} 500\n"));
  EXPECT_THAT(page, HasSubstr("{service=\"web\",le=\"0.125\"} 990\n"));
  EXPECT_THAT(page, HasSubstr(R"({service="web",le="16"} 1000
proxy_request_duration_seconds_bucket{service="web",le="+Inf"} 1000
proxy_request_duration_seconds_sum{service="web"} 65.3367)"));
  EXPECT_THAT(page, EndsWith("proxy_request_duration_seconds_count{service=\"web\"} 1000\n"));
}

TEST(MetricsPage, escapes_names) {
  EXPECT_THAT(metrics_page(std::vector<ServiceSpec>{{.name = "a\"b\\c\nd"}}, std::vector<ServiceMetrics>(1)),
              HasSubstr("proxy_requests_total{service=\"a\\\"b\\\\c\\nd\"} 0\n"));
}

}  // namespace
}  // namespace bulkhead::sim

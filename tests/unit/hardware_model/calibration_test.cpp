// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/calibration.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "controller/base/error.h"
#include "simulator/hardware_model/published.h"

namespace bulkhead::sim {
namespace {

TEST(Calibration, the_parameters_in_use_reproduce_the_published_throughput) {
  const auto rows = generation_rows({}, service_of_kind("lean-proxy").misses);
  for (unsigned row = 0; row < kGenerationRows; ++row) {
    EXPECT_NEAR(rows[row].throughput / (1 + kPublishedThroughput[row]), 1, 0.035) << row;
  }
}

TEST(Calibration, the_parameters_in_use_reproduce_the_published_latency_of_dense_cores) {
  const auto rows = generation_rows({}, 1);
  EXPECT_NEAR(rows[kOldOn9845].low_latency, 1.30, 0.05);
  EXPECT_NEAR(rows[kOldOn9965].low_latency, 1.30, 0.05);
}

TEST(Calibration, the_parameters_in_use_lie_among_those_that_agree_with_the_rows) {
  const Calibration found = calibrate(400, 3);
  for (std::size_t at = 0; at < parameter_ranges().size(); ++at) {
    const ParameterRange& range = parameter_ranges()[at];
    EXPECT_GE(Parameters{}.*range.value, found.parameters[at].low) << range.name;
    EXPECT_LE(Parameters{}.*range.value, found.parameters[at].high) << range.name;
  }
}

TEST(Calibration, services_start_from_the_calibrated_proxy) {
  const ServiceSpec proxy = proxy_and_neighbours({}, 1)[0];
  ServiceSpec plain;
  EXPECT_NEAR(plain.reference_cache / proxy.reference_cache, 1, 1e-3);
  EXPECT_NEAR(plain.request_bytes / proxy.request_bytes, 1, 1e-3);
  plain.reference_cache = proxy.reference_cache;
  plain.request_bytes = proxy.request_bytes;
  EXPECT_EQ(plain, proxy);
}

TEST(Calibration, knows_the_kinds_of_services) {
  EXPECT_EQ(service_of_kind("neighbours").name, "neighbours");
  EXPECT_LT(service_of_kind("lean-proxy").misses, service_of_kind("cache-hungry-proxy").misses);
  try {
    service_of_kind("proxy");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "'proxy' is no kind of service; it is cache-hungry-proxy, lean-proxy or neighbours");
  }
}

TEST(Calibration, reports_rows_predictions_and_misses) {
  std::ifstream file(BULKHEAD_SOURCE_DIR "/tests/unit/hardware_model/calibration_report.txt");
  std::ostringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(calibration_report(200, 1), expected.str());
}

}  // namespace
}  // namespace bulkhead::sim

// SPDX-License-Identifier: Apache-2.0
// The parameters that agree with what was published about the proxy on four processors, and what they predict
// about ways to isolate it. Only the rows about processors weigh; those about isolation never do.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "simulator/hardware_model/generations.h"

namespace bulkhead::sim {

struct Estimate {  // of a quantity, over all draws by their weight
  double median = 0;
  double low = 0;   // 5 %
  double high = 0;  // 95 %
};

// Gains are relative: 0.1 is 10 % more.
struct Calibration {
  double effective_draws = 0;        // as many of equal weight would be as good
  std::vector<Estimate> parameters;  // in the order of parameter_ranges()
  std::array<Estimate, kNewOn9965> throughput;
  std::array<Estimate, kNewOn9965> low_latency;
  std::array<Estimate, kNewOn9965> high_latency;
  std::array<Estimate, kIsolationRows> proxy;
  std::array<Estimate, kIsolationRows> neighbours;
};

// Parameters drawn evenly from their ranges, weighed by how well they reproduce the rows.
Calibration calibrate(unsigned draws, std::uint64_t seed);

// Calibrated rows, predictions beside published figures, and misses, for people to read.
std::string calibration_report(unsigned draws = 4000, std::uint64_t seed = 1);

}  // namespace bulkhead::sim

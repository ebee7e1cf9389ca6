// SPDX-License-Identifier: Apache-2.0
// What an edge network published about its server generations; gains are relative to the row they are
// measured against.
#pragma once

#include <array>
#include <limits>
#include <string_view>

#include "simulator/hardware_model/generations.h"

namespace bulkhead::sim {

// The old proxy against Gen 12, in the order of Generations, and the new one.
constexpr std::array<double, kGenerationRows> kPublishedThroughput{0.10, 0.31, 0.62, 1.00};
constexpr std::array<double, kNewOn9965> kPublishedLowLatency{0.10, 0.30, 0.30};
constexpr std::array<double, kNewOn9965> kPublishedHighLatencyAbove{0.20, 0.50, 0.50};
constexpr double kPublishedPenaltyGone = 0.70;         // of the old proxy's at high load, by the new one
constexpr double kPublishedRequestsPerCpuTime = 0.50;  // the new proxy's gain on the 9965

constexpr double kPublishedSlightLoss = -0.05;  // "slight": of the neighbours in PQOS 1

struct PublishedIsolation {
  std::string_view name;
  std::string_view words;
  double low;
  double high;
};

// "Less than 5 %" is read as 0 to 5 %.
constexpr std::array<PublishedIsolation, kIsolationRows> kPublishedIsolations{{
    {"NUMA, 6 of 12 CCDs", "more than 15 %", 0.15, std::numeric_limits<double>::infinity()},
    {"PQOS 1, a CPU of each core, 75 % of L3", "less than 5 %", 0, 0.05},
    {"PQOS 2, a CPU of each core, 50 % of L3", "less than 5 %", 0, 0.05},
    {"PQOS 3, half of the cores, 50 % of L3", "less than 5 %", 0, 0.05},
}};

}  // namespace bulkhead::sim

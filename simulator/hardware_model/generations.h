// SPDX-License-Identifier: Apache-2.0
// The published experiments in the model: the proxy on four processors, and five ways to isolate it on one.
#pragma once

#include <array>

#include "simulator/hardware_model/parameters.h"

namespace bulkhead::sim {

constexpr double kLowLoad = 0.3;  // of what a host can do
constexpr double kHighLoad = 0.85;

struct GenerationRow {
  double throughput = 1;    // of a host, against the old proxy on Gen 12
  double low_latency = 1;   // at kLowLoad of each host's own capacity
  double high_latency = 1;  // at kHighLoad
};

enum Generations { kOldOn9755, kOldOn9845, kOldOn9965, kNewOn9965, kGenerationRows };
// The new proxy is the old one with `new_misses` of its misses.
std::array<GenerationRow, kGenerationRows> generation_rows(const Parameters& parameters, double new_misses);

struct IsolationRow {
  double proxy = 1;  // throughput against no isolation
  double neighbours = 1;
};

enum Isolations { kNuma6Of12, kPqos1, kPqos2, kPqos3, kIsolationRows };
std::array<IsolationRow, kIsolationRows> isolation_rows(const Parameters& parameters);

}  // namespace bulkhead::sim

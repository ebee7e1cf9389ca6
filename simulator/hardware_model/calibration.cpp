// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/calibration.h"

#include <algorithm>
#include <cmath>

#include "simulator/hardware_model/published.h"

namespace bulkhead::sim {
namespace {

// How far a published figure may be from the truth of a model as simple as this one.
constexpr double kThroughputDeviation = 0.03;
constexpr double kLatencyDeviation = 0.1;
constexpr double kNegligible = 1e-3;  // weight

struct Draw {
  double weight = 0;
  Parameters parameters;
  std::array<GenerationRow, kGenerationRows> generations;
  std::array<IsolationRow, kIsolationRows> isolations;
};

double square(double value) {
  return value * value;
}

double weight_of(const std::array<GenerationRow, kGenerationRows>& rows) {
  double distance = 0;
  for (unsigned at = 0; at < kNewOn9965; ++at) {
    distance += square(std::log(rows[at].throughput / (1 + kPublishedThroughput[at])) / kThroughputDeviation);
    distance += square((rows[at].low_latency - 1 - kPublishedLowLatency[at]) / kLatencyDeviation);
  }
  return std::exp(-distance / 2);
}

template <class Quantity>
Estimate estimate(const std::vector<Draw>& draws, Quantity quantity) {
  std::vector<std::pair<double, double>> values;
  double all = 0;
  for (const Draw& draw : draws) {
    values.emplace_back(quantity(draw), draw.weight);
    all += draw.weight;
  }
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double part) {
    double sum = 0;
    for (const auto& [value, weight] : values) {
      sum += weight;
      if (sum >= part * all) return value;
    }
    return values.empty() ? 0.0 : values.back().first;
  };
  return {quantile(0.5), quantile(0.05), quantile(0.95)};
}

std::vector<Draw> draw_all(unsigned draws, std::uint64_t seed) {
  std::vector<Draw> kept;
  for (unsigned at = 0; at < draws; ++at) {
    Draw draw{.parameters = sampled(seed, at)};
    draw.generations = generation_rows(draw.parameters, 1);
    draw.weight = weight_of(draw.generations);
    if (draw.weight < kNegligible) continue;
    draw.isolations = isolation_rows(draw.parameters);
    kept.push_back(draw);
  }
  return kept;
}

}  // namespace

Calibration calibrate(unsigned draws, std::uint64_t seed) {
  const std::vector<Draw> kept = draw_all(draws, seed);
  Calibration result;
  double weights = 0;
  double squares = 0;
  for (const Draw& draw : kept) {
    weights += draw.weight;
    squares += square(draw.weight);
  }
  result.effective_draws = squares > 0 ? square(weights) / squares : 0;
  for (const ParameterRange& range : parameter_ranges()) {
    result.parameters.push_back(
        estimate(kept, [&](const Draw& draw) { return draw.parameters.*range.value; }));
  }
  for (unsigned row = 0; row < kNewOn9965; ++row) {
    const auto gain = [&](double GenerationRow::*value) {
      return estimate(kept, [=](const Draw& draw) { return draw.generations[row].*value - 1; });
    };
    result.throughput[row] = gain(&GenerationRow::throughput);
    result.low_latency[row] = gain(&GenerationRow::low_latency);
    result.high_latency[row] = gain(&GenerationRow::high_latency);
  }
  for (unsigned row = 0; row < kIsolationRows; ++row) {
    result.proxy[row] = estimate(kept, [=](const Draw& draw) { return draw.isolations[row].proxy - 1; });
    result.neighbours[row] =
        estimate(kept, [=](const Draw& draw) { return draw.isolations[row].neighbours - 1; });
  }
  return result;
}

}  // namespace bulkhead::sim

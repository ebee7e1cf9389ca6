// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/block_differences.h"

#include <algorithm>
#include <cmath>

#include "controller/experiment/change_text.h"
#include "controller/experiment/schedule.h"

namespace bulkhead {
namespace {

bool has_logarithm(const MetricReading& reading) {
  return reading.value && *reading.value > 0 && std::isfinite(*reading.value);
}

// Why there is no value; empty where there is one.
std::string lack(const MetricReading& reading) {
  if (reading.value) return "";
  return reading.why_none.empty() ? "it has no value" : reading.why_none;
}

// What is wrong with a metric that is to be compared; empty if nothing is.
std::string trouble(const MetricReading& reading) {
  if (!reading.value) return lack(reading);
  if (has_logarithm(reading)) return "";
  return "its value is " + format_number(*reading.value) + ", and only values above 0 can be compared";
}

std::vector<std::size_t> needed_metrics(const Experiment& experiment) {
  std::vector<std::size_t> needed{metric_index(experiment, experiment.primary)};
  for (const Guard& guard : experiment.guards) needed.push_back(metric_index(experiment, guard.metric));
  if (experiment.search) needed.push_back(metric_index(experiment, experiment.search->latency));
  return needed;
}

// Of whose limits nobody could say whether they were passed.
std::vector<std::size_t> limited_metrics(const Experiment& experiment) {
  std::vector<std::size_t> limited;
  for (const HardLimit& limit : experiment.limits) limited.push_back(metric_index(experiment, limit.metric));
  return limited;
}

std::optional<std::size_t> band_of(const LoadBands& bands, std::size_t metric,
                                   std::span<const WindowRecord> windows) {
  std::optional<std::size_t> common;
  for (const WindowRecord& window : windows) {
    const std::optional<double>& load = window.metrics[metric].value;
    if (!load || std::isnan(*load)) return std::nullopt;
    const auto edge = std::upper_bound(bands.edges.begin(), bands.edges.end(), *load);
    const auto band = static_cast<std::size_t>(edge - bands.edges.begin());
    if (common && *common != band) return std::nullopt;
    common = band;
  }
  return common;
}

std::optional<double> difference_of(std::size_t metric, const BlockRecord& block,
                                    std::span<const WindowRecord> windows) {
  double difference = 0;
  for (const WindowRecord& window : windows) {
    const MetricReading& reading = window.metrics[metric];
    if (!has_logarithm(reading)) return std::nullopt;
    difference += (window.arm == block.candidate ? 0.5 : -0.5) * std::log(*reading.value);
  }
  return difference;
}

}  // namespace

std::size_t metric_index(const Experiment& experiment, const std::string& name) {
  const auto found = std::find_if(experiment.metrics.begin(), experiment.metrics.end(),
                                  [&](const MetricWant& metric) { return metric.name == name; });
  if (found == experiment.metrics.end()) {
    throw Error(ErrorCode::internal, "experiment '" + experiment.name + "' has no metric '" + name + "'");
  }
  return static_cast<std::size_t>(found - experiment.metrics.begin());
}

void check_block(const Experiment& experiment, std::span<const WindowRecord> windows, BlockRecord& block) {
  if (!block.dropped.empty()) return;
  for (const WindowRecord& window : windows) {
    const auto drops = [&](std::size_t metric, const std::string& why) {
      if (why.empty()) return false;
      block.dropped = "window " + std::to_string(window.place + 1) + ", " + window.arm + ": " +
                      experiment.metrics[metric].name + ": " + why;
      block.dropped_arm = window.arm;
      return true;
    };
    for (const std::size_t metric : needed_metrics(experiment)) {
      if (drops(metric, trouble(window.metrics[metric]))) return;
    }
    for (const std::size_t metric : limited_metrics(experiment)) {
      if (drops(metric, lack(window.metrics[metric]))) return;
    }
  }
  if (windows.size() != kWindowsOfBlock) block.dropped = "it was not finished";
}

BlockDifferences block_differences(const Experiment& experiment, const BlockRecord& block,
                                   std::span<const WindowRecord> windows) {
  BlockDifferences found;
  for (std::size_t metric = 0; metric < experiment.metrics.size(); ++metric) {
    found.metrics.push_back(difference_of(metric, block, windows));
  }
  if (experiment.bands) {
    found.band = band_of(*experiment.bands, metric_index(experiment, experiment.bands->metric), windows);
  }
  return found;
}

}  // namespace bulkhead

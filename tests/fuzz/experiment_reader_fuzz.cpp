// SPDX-License-Identifier: Apache-2.0
// Any bytes are an experiment whose names can be relied on, or diagnostics.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "policies/experiment_reader.h"
#include "tests/fuzz/check_diagnostics.h"

namespace {

using namespace bulkhead;
using fuzz::require;

void check(const Experiment& experiment) {
  require(experiment.arms.size() >= (experiment.search ? 1 : 2));
  require(experiment.find_arm(experiment.control) != nullptr);
  const auto is_metric = [&](const std::string& name) {
    return std::ranges::any_of(experiment.metrics, [&](const auto& metric) { return metric.name == name; });
  };
  require(is_metric(experiment.primary));
  require(std::ranges::all_of(experiment.guards, is_metric, &Guard::metric));
  require(std::ranges::all_of(experiment.limits, is_metric, &HardLimit::metric));
  require(!experiment.bands || is_metric(experiment.bands->metric));
  require(!experiment.search || is_metric(experiment.search->latency));
  require(experiment.least_blocks >= 1 && experiment.least_blocks <= experiment.most_blocks);
  require(experiment.window.count() > 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ExperimentReading reading = read_experiment(text);
  require(reading.experiment.has_value() == reading.diagnostics.empty());
  fuzz::check_diagnostics(text, reading.diagnostics);
  if (reading.experiment) check(*reading.experiment);
  return 0;
}

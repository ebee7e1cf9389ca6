// SPDX-License-Identifier: Apache-2.0
// From four windows to numbers: whether a block counts, and by how much the candidate differed in it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "controller/experiment/result.h"
#include "policies/experiment.h"

namespace bulkhead {

// The index of a metric by its name; the experiment has been checked, so it is there.
std::size_t metric_index(const Experiment& experiment, const std::string& name);

// Why the block does not count: a window is missing, or the primary metric, a guard or the latency of a
// search has no positive value in one. Sets `dropped` and `dropped_arm`, unless it has been dropped already. Other metrics are only left
// out of a block where they are missing.
void check_block(const Experiment& experiment, std::span<const WindowRecord> windows, BlockRecord& block);

struct BlockDifferences {
  // ln(candidate) - ln(control) of each metric, means of two windows each: a drift that is linear over the
  // block cancels. None where a window has no positive value.
  std::vector<std::optional<double>> metrics;
  // The load band of all four windows; none if they lie in different ones, or one is unknown.
  std::optional<std::size_t> band;
};

// Of a block that counts.
BlockDifferences block_differences(const Experiment& experiment, const BlockRecord& block,
                                   std::span<const WindowRecord> windows);

}  // namespace bulkhead

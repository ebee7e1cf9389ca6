// SPDX-License-Identifier: Apache-2.0
// All candidates of an experiment, block by block as they come, or again from what has been recorded.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "controller/experiment/comparison.h"
#include "controller/experiment/washout_check.h"

namespace bulkhead {

class Judge {
 public:
  // The candidates are the experiment's arms without its control; those of a search come later and are named
  // here. Everything that a verdict depends on is fixed now.
  explicit Judge(const Experiment& experiment);
  Judge(const Experiment& experiment, const std::vector<std::string>& candidates);
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  // A block that has ended, with its windows in their order; checks it first (check_block). Of a candidate
  // that has its verdict already it is passed over.
  void add(BlockRecord& block, std::span<const WindowRecord> windows);
  // The candidate is out: it has failed safe. If it is the control, nothing can be compared any more.
  void add(const LimitHit& hit);

  ArmVerdict verdict(const std::string& candidate) const;
  bool is_decided() const;  // no candidate is open
  ArmResult result(const std::string& candidate) const;
  bool washout_is_too_short() const { return washout_.too_short(); }

  // Fills in candidates, washout, and the sentence over all.
  void report(double washout_seconds, ExperimentResult& result) const;

 private:
  Comparison& comparison(const std::string& candidate);
  const Comparison& comparison(const std::string& candidate) const;

  Experiment experiment_;
  JudgeTerms terms_;
  std::vector<Comparison> comparisons_;
  WashoutCheck washout_;
};

// Computes every verdict again from the blocks, windows and limit hits of the result.
void judge_again(const Experiment& experiment, ExperimentResult& result);

}  // namespace bulkhead

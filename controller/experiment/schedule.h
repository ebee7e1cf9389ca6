// SPDX-License-Identifier: Apache-2.0
// Which candidate runs in which block, in which order of arms: from the seed alone, so that a run can be gone
// on with, or done again, block for block, on any machine.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace bulkhead {

inline constexpr unsigned kWindowsOfBlock = 4;

struct PlannedBlock {
  unsigned number = 0;  // from 1, over all candidates
  std::string candidate;
  std::string order;  // "ABBA" or "BAAB"; A is the control
};

// In each round every candidate that is still in has one block, in random order. A candidate that drops out
// changes nothing for the others: the same numbers are drawn for it, and not used.
class Schedule {
 public:
  Schedule(std::uint64_t seed, std::vector<std::string> candidates);

  std::optional<PlannedBlock> next();  // none when all are out
  void drop(const std::string& candidate);

 private:
  std::uint64_t below(std::uint64_t bound);
  void draw_round();

  struct Turn {
    std::size_t candidate = 0;
    bool control_first = false;
  };

  std::mt19937_64 random_;  // its numbers are fixed by the standard, those of its distributions are not
  std::vector<std::string> candidates_;
  std::vector<bool> in_;
  std::vector<Turn> round_;  // what is left of it, the next one last
  unsigned number_ = 0;
};

// How long an experiment takes. The blocks are those of one candidate; none where the effect asked for would
// not be seen within the most blocks.
struct ExpectedDuration {
  std::optional<unsigned> typical_blocks;  // half of all runs have their verdict by then
  std::optional<unsigned> safe_blocks;     // 80 % of them
  double block_seconds = 0;
  std::optional<double> typical_seconds;  // of all candidates
  double most_seconds = 0;
};

struct DurationQuestion {
  std::size_t candidates = 1;
  unsigned least_blocks = 1;
  unsigned most_blocks = 1;
  double window_seconds = 0;
  double washout_seconds = 0;
  double effect = 0;    // that is to be seen, on the log scale
  double noise = 0;     // deviation of a block's difference
  double alpha = 0.05;  // of each candidate
  double mixture = 0;
};

ExpectedDuration expected_duration(const DurationQuestion& question);

}  // namespace bulkhead

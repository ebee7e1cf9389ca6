// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/schedule.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "controller/experiment/confidence_sequence.h"

namespace bulkhead {
Schedule::Schedule(std::uint64_t seed, std::vector<std::string> candidates)
    : random_(seed), candidates_(std::move(candidates)), in_(candidates_.size(), true) {}

std::uint64_t Schedule::below(std::uint64_t bound) {
  // Numbers above the last multiple of the bound would make the small ones likelier.
  const std::uint64_t fair = std::numeric_limits<std::uint64_t>::max() / bound * bound;
  std::uint64_t drawn = random_();
  while (drawn >= fair) drawn = random_();
  return drawn % bound;
}

void Schedule::draw_round() {
  std::vector<Turn> turns;
  for (std::size_t candidate = 0; candidate < candidates_.size(); ++candidate) {
    turns.push_back({candidate, below(2) == 0});
  }
  for (std::size_t left = turns.size(); left > 1; --left) std::swap(turns[left - 1], turns[below(left)]);
  round_ = std::move(turns);
}

std::optional<PlannedBlock> Schedule::next() {
  if (std::none_of(in_.begin(), in_.end(), [](bool in) { return in; })) return std::nullopt;
  while (true) {
    if (round_.empty()) draw_round();
    const Turn turn = round_.back();
    round_.pop_back();
    if (in_[turn.candidate]) {
      return PlannedBlock{++number_, candidates_[turn.candidate], turn.control_first ? "ABBA" : "BAAB"};
    }
  }
}

void Schedule::drop(const std::string& candidate) {
  for (std::size_t index = 0; index < candidates_.size(); ++index) {
    if (candidates_[index] == candidate) in_[index] = false;
  }
}

ExpectedDuration expected_duration(const DurationQuestion& question) {
  ExpectedDuration duration;
  const auto all = static_cast<double>(question.candidates);
  duration.block_seconds = kWindowsOfBlock * (question.window_seconds + question.washout_seconds);
  duration.most_seconds = all * question.most_blocks * duration.block_seconds;
  const auto needed = blocks_needed(question.noise, question.effect, question.alpha, question.mixture);
  const auto within = [&](unsigned blocks) -> std::optional<unsigned> {
    if (blocks > question.most_blocks) return std::nullopt;
    return std::max(blocks, question.least_blocks);
  };
  if (!needed) return duration;
  duration.typical_blocks = within(needed->typical);
  duration.safe_blocks = within(needed->safe);
  if (duration.typical_blocks)
    duration.typical_seconds = all * *duration.typical_blocks * duration.block_seconds;
  return duration;
}

}  // namespace bulkhead

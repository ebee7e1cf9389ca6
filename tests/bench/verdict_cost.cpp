// SPDX-License-Identifier: Apache-2.0
// "verdict_cost RUNS": CPU time of 1,000 blocks of an experiment: their two metrics into the sequences, and a
// verdict after each. Floor: the same numbers into two means and variances. Then a whole search.
#include <array>
#include <cmath>
#include <random>

#include "controller/experiment/comparison.h"
#include "controller/experiment/search.h"
#include "tests/bench/stopwatch.h"

namespace bulkhead {
namespace {

constexpr unsigned kBlocks = 100'000;

Experiment undecided() {
  Experiment experiment;
  experiment.control = "A";
  experiment.metrics = {{.name = "rate"}, {.name = "p99", .better = Better::lower}};
  experiment.primary = "rate";
  experiment.guards = {{.metric = "p99", .margin = Percent{0}}};
  experiment.smallest_effect = Percent{0};
  experiment.most_blocks = kBlocks + 1;
  return experiment;
}

std::vector<std::array<std::optional<double>, 2>> blocks() {
  std::mt19937_64 random(1);
  std::vector<std::array<std::optional<double>, 2>> made(kBlocks);
  // Alternating signs keep the mean so near to zero that no verdict ends the work early.
  for (unsigned i = 0; i < kBlocks; ++i) {
    const double size = static_cast<double>(random() >> 11) * 0x1p-53 + 1;
    made[i] = {i % 2 == 0 ? size : -size, i % 2 == 0 ? -size : size};
  }
  return made;
}

struct Welford {
  unsigned count = 0;
  double mean = 0, squares = 0;
  void add(double value) {
    const double before = value - mean;
    mean += before / ++count;
    squares += before * (value - mean);
  }
};

// 15 tries among 1,440 combinations of any values.
double search_us(unsigned runs) {
  SearchRanges ranges{.threads_per_core = {1, 2}};
  for (unsigned count = 1; count <= 12; ++count) ranges.ccds.push_back(count);
  for (unsigned count = 2; count <= 16; ++count) ranges.ways.push_back(count);
  for (unsigned count = 1; count <= 4; ++count) ranges.bandwidth.emplace_back(Rate{10'000'000'000U * count});
  const SearchSpace space(ranges);
  return bench::median_of(runs, [&] {
    Search search(space, 15);
    while (const auto proposal = search.next()) {
      const auto [ccds, ways, bandwidth, threads] = proposal->point;
      search.tell(proposal->number, std::log(*ccds) / 10, 0.3 - *ways / 32.0);
    }
    if (!search.best()) throw Error(ErrorCode::internal, "the search found nothing, which it must");
  });
}

void measure(unsigned runs) {
  const Experiment experiment = undecided();
  const JudgeTerms terms = judge_terms(experiment, 1);
  const auto all = blocks();
  double kept = 0;
  unsigned open = 0;
  const double floor = bench::median_of(runs, [&] {
    Welford rate, p99;
    for (const auto& block : all) {
      rate.add(*block[0]);
      p99.add(*block[1]);
    }
    kept += rate.squares + p99.squares;
  });
  const double ours = bench::median_of(runs, [&] {
    Comparison comparison(terms, "B");
    for (const auto& block : all) comparison.add(block);
    open += comparison.verdict() == ArmVerdict::open ? 1 : 0;
  });
  if (open != runs || !(kept > 0))
    throw Error(ErrorCode::internal, "the blocks were decided, which they must not be");
  bench::say("floor", 1e3 * floor / kBlocks);
  bench::say("blocks", 1e3 * ours / kBlocks);
  bench::say("search", search_us(runs));
}

}  // namespace
}  // namespace bulkhead

int main(int count, char** words) {
  if (count != 2) {
    std::fputs("usage: verdict_cost RUNS\n", stderr);
    return 2;
  }
  try {
    bulkhead::measure(bulkhead::bench::runs_from(words[1]));
    return 0;
  } catch (const bulkhead::Error& error) {
    std::fprintf(stderr, "verdict_cost: %s\n", error.what());
    return 1;
  }
}

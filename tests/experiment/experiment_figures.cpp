// SPDX-License-Identifier: Apache-2.0
// "experiment-figures [RUNS]": how often the statistics of an experiment are wrong, and how soon they are
// right, on simulated hosts. Prints a table; ends with 1 where a bar is missed. 10,000 runs a row unless
// told.
#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "controller/base/text.h"
#include "controller/experiment/comparison.h"
#include "tests/experiment/naive_tests.h"
#include "tests/experiment/noisy_host.h"

namespace bulkhead::test {
namespace {

constexpr double kP99Margin = 0.05;

struct Row {
  const char* name = "";
  Noise noise;
  double throughput = 0;  // the candidate's effects, relative
  double p99 = 0;
  unsigned candidates = 1;  // all with these effects; the row counts runs in which any is adopted
  unsigned most_blocks = 40;
  Looks looks = Looks::any_time;
  double most_adopted = 1;  // bars
  double least_adopted = 0;
  double least_rejected = 0;
};

// Counts of runs.
struct Figures {
  unsigned adopted = 0, rejected = 0, inconclusive = 0;
  unsigned missed = 0;                     // intervals at the end that do not hold the truth
  unsigned before_after = 0, peeking = 0;  // the naive tests call the arms different
  unsigned blocks = 0;
};

Experiment experiment_of(const Row& row) {
  Experiment experiment;
  experiment.control = "A";
  experiment.metrics = {{.name = "throughput"}, {.name = "p99", .better = Better::lower}};
  experiment.primary = "throughput";
  experiment.guards = {{.metric = "p99", .margin = Percent{static_cast<std::uint32_t>(kP99Margin * 10'000)}}};
  experiment.most_blocks = row.most_blocks;
  experiment.looks = row.looks;
  return experiment;
}

// ½[(B1+B2) − (A1+A2)] of four windows; false if one is missing, whose arm is then `lost`.
bool measure(NoisyHost& host, const Row& row, std::array<std::optional<double>, 2>& differences,
             const char*& lost) {
  const bool control_first = host.coin();
  double throughput = 0, p99 = 0;
  lost = nullptr;
  for (int place = 0; place < 4; ++place) {
    const bool candidate = (place == 1 || place == 2) == control_first;
    const Reading reading =
        host.window(candidate ? std::log1p(row.throughput) : 0, candidate ? std::log1p(row.p99) : 0);
    throughput += (candidate ? 0.5 : -0.5) * reading.throughput;
    p99 += (candidate ? 0.5 : -0.5) * reading.p99;
    if (reading.missing && !lost) lost = candidate ? "B" : "A";
  }
  differences = {throughput, p99};
  return !lost;
}

struct Outcome {
  bool any_adopted = false, all_rejected = true, any_inconclusive = false, missed = false, peeked = false;
  unsigned blocks = 0;
};

Outcome run_once(const JudgeTerms& terms, const Row& row, std::uint64_t seed) {
  NoisyHost host(row.noise, seed);
  std::vector<Comparison> comparisons;
  for (unsigned i = 0; i < row.candidates; ++i) comparisons.emplace_back(terms, "B");
  PeekingTest peeking;
  Outcome outcome;
  std::array<std::optional<double>, 2> differences;
  const char* lost = nullptr;
  // All blocks run, so that the naive test may peek at as many as ours could.
  for (unsigned block = 0; block < row.most_blocks; ++block) {
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
      const bool counts = measure(host, row, differences, lost);
      if (counts && i == 0 && peeking.add(*differences[0])) outcome.peeked = true;
      if (comparisons[i].verdict() != ArmVerdict::open) continue;
      if (counts)
        comparisons[i].add(differences);
      else
        comparisons[i].add_dropped(lost);
    }
  }
  for (const Comparison& comparison : comparisons) {
    const std::optional<Interval>& interval = comparison.track(0).interval;
    const double truth = std::log1p(row.throughput);
    outcome.missed = outcome.missed || (interval && (truth < interval->low || truth > interval->high));
    outcome.any_adopted = outcome.any_adopted || comparison.verdict() == ArmVerdict::adopt;
    outcome.all_rejected = outcome.all_rejected && comparison.verdict() == ArmVerdict::reject;
    outcome.any_inconclusive = outcome.any_inconclusive || comparison.verdict() == ArmVerdict::inconclusive;
    outcome.blocks += comparison.run();
  }
  return outcome;
}

bool before_after_once(const Row& row, std::uint64_t seed) {
  NoisyHost host(row.noise, seed);
  std::vector<double> windows;
  const unsigned count = 4 * row.most_blocks;
  for (unsigned i = 0; i < count; ++i) {
    const Reading reading = host.window(i < count / 2 ? 0 : std::log1p(row.throughput), 0);
    windows.push_back(reading.throughput);
  }
  return differs_before_after(windows);
}

Figures figures_of(const Row& row, unsigned runs) {
  const JudgeTerms terms = judge_terms(experiment_of(row), row.candidates);
  Figures figures;
  for (unsigned run = 0; run < runs; ++run) {
    const Outcome outcome = run_once(terms, row, run + 1);
    figures.adopted += outcome.any_adopted;
    figures.rejected += outcome.all_rejected;
    figures.inconclusive += outcome.any_inconclusive;
    figures.missed += outcome.missed;
    figures.peeking += outcome.peeked;
    figures.blocks += outcome.blocks;
    figures.before_after += before_after_once(row, runs + run + 1);
  }
  return figures;
}

std::vector<Row> rows() {
  const std::vector<std::pair<const char*, Noise>> noises = {
      {"independent", {}},
      {"AR(1) 0.7", {.memory = 0.7}},
      {"AR(1) 0.9", {.memory = 0.9}},
      {"random walk", {.walk = 0.005}},
      {"diurnal load", {.day = 0.3}},
      {"3 % outliers", {.outliers = 0.03}},
      {"t3 noise", {.heavy_tails = true}},
      {"5 % missing", {.missing = 0.05}},
      {"all of them", {.memory = 0.7, .walk = 0.005, .day = 0.3, .outliers = 0.03, .missing = 0.05}}};
  std::vector<Row> all;
  for (const auto& [name, noise] : noises)
    all.push_back({.name = name, .noise = noise, .most_adopted = 0.05});
  for (const auto& [name, noise] : noises) all.push_back({.name = name, .noise = noise, .throughput = 0.02});
  for (const auto& [name, noise] : noises) {
    all.push_back({.name = name, .noise = noise, .throughput = 0.05, .most_blocks = 20});
  }
  for (const auto& [name, noise] : noises) {
    all.push_back(
        {.name = name, .noise = noise, .throughput = 0.05, .p99 = kP99Margin, .most_adopted = 0.05});
  }
  for (const auto& [name, noise] : noises) {
    all.push_back({.name = name, .noise = noise, .throughput = 0.05, .p99 = 0.15, .most_adopted = 0.05});
  }
  // Outliers, heavy tails and lost windows cost power, which is only printed: a wrong verdict they never
  // bring.
  for (Row& row : all) {
    if (row.noise.outliers > 0 || row.noise.heavy_tails || row.noise.missing > 0) continue;
    if (row.p99 > kP99Margin) row.least_rejected = 0.95;
    if (row.p99 == 0 && row.throughput > 0) row.least_adopted = row.throughput > 0.02 ? 0.99 : 0.95;
  }
  const auto last = [&](const char* name, const Row& row) {
    all.push_back(row);
    all.back().name = name;
  };
  // The guard, not the effect, is what then takes its time: 2,000 to 3,000 requests a window.
  last("p99 noise 4 %", {.noise = {.latency = 2}, .throughput = 0.05, .most_blocks = 20});
  last("4 candidates", {.candidates = 4, .most_adopted = 0.05});
  last("five looks", {.looks = Looks::five, .most_adopted = 0.05});
  last("five looks", {.throughput = 0.02, .looks = Looks::five, .least_adopted = 0.95});
  return all;
}

bool print(const Row& row, const Figures& figures, double runs) {
  const double most_missed = 0.05 * runs;
  std::string missed_bars;
  const auto bar = [&](bool holds, const char* name) {
    if (!holds) missed_bars += std::string(" ") + name;
  };
  bar(figures.adopted <= row.most_adopted * runs, "adopted");
  bar(figures.adopted >= row.least_adopted * runs, "not-adopted");
  bar(figures.rejected >= row.least_rejected * runs, "not-rejected");
  bar(figures.missed <= most_missed, "coverage");
  const auto share = [&](unsigned count) { return 100 * count / runs; };
  std::printf(
      "%-13s %+4.0f %% %+4.0f %%  %3u  %6.2f %% %6.2f %% %6.2f %%  %5.1f  %6.2f %%   %6.2f %% %6.2f %%%s%s\n",
      row.name, row.throughput * 100, row.p99 * 100, row.most_blocks, share(figures.adopted),
      share(figures.rejected), share(figures.inconclusive), figures.blocks / runs / row.candidates,
      share(figures.missed), share(figures.before_after), share(figures.peeking),
      missed_bars.empty() ? "" : "  MISSED:", missed_bars.c_str());
  return missed_bars.empty();
}

int run(unsigned runs) {
  std::printf(
      "%u runs a row; noise of a window 2 %% (p99 3 %%), p99 may be 5 %% worse, smallest effect 1 %%\n",
      runs);
  std::puts(
      "noise          rate    p99  most    adopt   reject  neither  blocks  missed  before/after  peeking t");
  bool all_hold = true;
  for (const Row& row : rows()) all_hold = print(row, figures_of(row, runs), runs) && all_hold;
  return all_hold ? 0 : 1;
}

}  // namespace
}  // namespace bulkhead::test

int main(int count, char** words) {
  const auto runs = bulkhead::parse_integer<unsigned>(count > 1 ? words[1] : "10000");
  if (count > 2 || !runs || *runs == 0) {
    std::fputs("usage: experiment-figures [RUNS]\n", stderr);
    return 2;
  }
  return bulkhead::test::run(*runs);
}

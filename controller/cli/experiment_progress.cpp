// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/experiment_progress.h"

#include <algorithm>
#include <cmath>

#include "controller/base/text.h"
#include "controller/cli/table.h"
#include "controller/experiment/change_text.h"
#include "controller/experiment/judge_terms.h"
#include "controller/experiment/schedule.h"
#include "controller/experiment/search_space.h"
#include "controller/experiment/washout_check.h"
#include "policies/duration.h"

namespace bulkhead {
namespace {

constexpr unsigned kBlocksShown = 8;
constexpr double kUsualNoise = 0.02;  // of a block's difference, where nobody has measured it

// The shortest washout stands for one that is yet to be found.
double washout_seconds(const Experiment& experiment) {
  return experiment.washout ? in_seconds(*experiment.washout) : washout_for(0);
}

// "+14.9 % (+9.1 % to +21.0 %)"
std::string estimate_text(const Estimate& estimate) {
  const auto limit = [](const std::optional<double>& value) {
    return value ? format_change(*value) : std::string("?");
  };
  if (!estimate.change) return "no data";
  return format_change(*estimate.change) + " (" + limit(estimate.low) + " to " + limit(estimate.high) + ')';
}

std::string duration_text(const Experiment& experiment, const Style& style) {
  const std::size_t candidates = experiment.search ? 1 : experiment.candidates().size();
  const JudgeTerms terms = judge_terms(experiment, candidates);
  const double noise = experiment.noise ? experiment.noise->hundredths / 10'000.0 : kUsualNoise;
  const ExpectedDuration takes = expected_duration({.candidates = candidates,
                                                    .least_blocks = experiment.least_blocks,
                                                    .most_blocks = experiment.most_blocks,
                                                    .window_seconds = in_seconds(experiment.window),
                                                    .washout_seconds = washout_seconds(experiment),
                                                    .effect = terms.smallest_effect,
                                                    .noise = noise,
                                                    .alpha = terms.alpha,
                                                    .mixture = terms.mixture});
  const std::string effect = "an effect of " + experiment.smallest_effect.to_string();
  const std::string assumed = "where blocks differ by " + format_share(noise) +
                              (experiment.noise ? ", as the file says" : ", which is an assumption");
  const double searching = experiment.search ? experiment.search->evaluations * takes.block_seconds : 0;
  std::string text = "at most " + time_text(searching + takes.most_seconds) + "; ";
  if (experiment.search) text += "the search takes " + time_text(searching) + " of it, and then ";
  if (takes.typical_seconds) {
    text += effect + " is seen after " + std::to_string(*takes.typical_blocks) +
            " blocks of each candidate, " + time_text(*takes.typical_seconds) + ", in half of all runs";
    if (takes.safe_blocks) text += ", and after " + std::to_string(*takes.safe_blocks) + " in 80 % of them";
  } else {
    text += effect + " would not be seen within " + std::to_string(experiment.most_blocks) + " blocks";
  }
  return hanging(text + ", " + assumed, style.width) + '\n';
}

// "searched for proxy in numa.json: 4, 6 or 8 CCDs; 4 or 16 ways; ..."
std::string search_text(const Experiment& experiment, const Style& style) {
  const SearchWant& search = *experiment.search;
  const SearchSpace space(search.ranges);
  return hanging("searched: the best of " + counted(space.size(), "combination") + " of " +
                     describe(search.ranges) + " for " + search.service + " in " + search.policy +
                     ", as long as " + search.latency + " stays within " +
                     format_number(search.latency_limit) + "; " +
                     std::to_string(std::min<std::size_t>(search.evaluations, space.size())) +
                     " are measured, a block each, and the best one is compared with " + experiment.control,
                 style.width) +
         '\n';
}

}  // namespace

std::string time_text(double seconds) {
  if (seconds < 1) return std::to_string(std::llround(seconds * 1000)) + " ms";
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (seconds < 10)
    return std::to_string(std::llround(seconds * 10) / 10) + '.' +
           std::to_string(std::llround(seconds * 10) % 10) + " s";
  if (whole < 120) return std::to_string(whole) + " s";
  const long long minutes = (whole + 30) / 60;
  if (minutes < 120) return std::to_string(minutes) + " min";
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

namespace {

// "search 3 of 15, at most 12 min left": what the next combination is worth nobody knows yet.
std::string search_progress_text(const RunProgress& progress) {
  std::string text =
      "search " + std::to_string(progress.block) + " of " + std::to_string(progress.most_blocks);
  if (progress.step == RunProgress::Step::block && progress.result->search) {
    const Evaluation& last = progress.result->search->evaluations.back();
    text += ", " + last.point + ": " + (last.change ? format_change(*last.change) : "no data");
  }
  return text + ", at most " + time_text(progress.seconds_left) + " left";
}

}  // namespace

std::string progress_text(const RunProgress& progress) {
  if (progress.searches) return search_progress_text(progress);
  std::string text =
      "block " + std::to_string(progress.block) + " of at most " + std::to_string(progress.most_blocks);
  const auto found = std::ranges::find(progress.result->candidates, progress.candidate, &ArmResult::arm);
  text += ", " + progress.candidate;
  if (found != progress.result->candidates.end() && !found->estimates.empty() && found->blocks > 0) {
    text += ": " + estimate_text(found->estimates.front());
  }
  return text + ", at most " + time_text(progress.seconds_left) + " left";
}

std::string schedule_text(const Experiment& experiment, const Style& style) {
  std::string text = paint(style, Paint::bold, experiment.name) + '\n';
  if (!experiment.summary.empty()) text += wrapped(experiment.summary, style.width, "") + '\n';
  Table table({"arm", "policy", "on enter", "on leave"});
  for (const ArmWant& arm : experiment.arms) {
    const auto words = [](const std::optional<Command>& command) {
      return command ? join(command->words, " ") : std::string("-");
    };
    table.add({arm.name + (arm.name == experiment.control ? " (control)" : ""), arm.policy.value_or("none"),
               words(arm.on_enter), words(arm.on_leave)});
  }
  text += '\n' + table.draw(style) + '\n';
  if (experiment.search) text += search_text(experiment, style);
  const std::string washout = experiment.washout
                                  ? time_text(in_seconds(*experiment.washout))
                                  : "as long as the first switch shows that it takes, 2 s at least";
  text += hanging("windows of " + time_text(in_seconds(experiment.window)) + " after a washout of " +
                      washout + ", " + std::to_string(experiment.least_blocks) + " to " +
                      std::to_string(experiment.most_blocks) +
                      (experiment.search ? " blocks of what is found" : " blocks of each candidate"),
                  style.width) +
          '\n' + duration_text(experiment, style);
  if (!experiment.seed_given) return text + "the order of the blocks is drawn when it starts\n";
  if (experiment.search) return text;
  Schedule schedule(experiment.seed, experiment.candidates());
  std::vector<std::string> blocks;
  while (blocks.size() < kBlocksShown) {
    const auto block = schedule.next();
    if (!block) break;
    blocks.push_back(block->order + ' ' + block->candidate);
  }
  return text + hanging("first blocks (A is the control): " + join(blocks, ", "), style.width) + '\n';
}

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/experiment_schedule.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "controller/base/text.h"
#include "controller/cli/experiment_progress.h"
#include "controller/cli/table.h"
#include "controller/experiment/change_text.h"
#include "controller/experiment/judge_terms.h"
#include "controller/experiment/result_json.h"
#include "controller/experiment/schedule.h"
#include "controller/experiment/search_space.h"
#include "controller/experiment/washout_check.h"
#include "policies/duration.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned kBlocksShown = 8;
constexpr double kUsualNoise = 0.02;  // of a block's difference, where nobody has measured it

// The shortest washout stands for one that is yet to be found.
double washout_seconds(const Experiment& experiment) {
  return experiment.washout ? in_seconds(*experiment.washout) : washout_for(0);
}

double noise_of(const Experiment& experiment) {
  return experiment.noise ? experiment.noise->hundredths / 10'000.0 : kUsualNoise;
}

ExpectedDuration duration_of(const Experiment& experiment) {
  const std::size_t candidates = experiment.search ? 1 : experiment.candidates().size();
  const JudgeTerms terms = judge_terms(experiment, candidates);
  return expected_duration({.candidates = candidates,
                            .least_blocks = experiment.least_blocks,
                            .most_blocks = experiment.most_blocks,
                            .window_seconds = in_seconds(experiment.window),
                            .washout_seconds = washout_seconds(experiment),
                            .effect = terms.smallest_effect,
                            .noise = noise_of(experiment),
                            .alpha = terms.alpha,
                            .mixture = terms.mixture});
}

// As many combinations as there are, at most.
std::size_t evaluations_of(const SearchWant& search) {
  return std::min<std::size_t>(search.evaluations, SearchSpace(search.ranges).size());
}

double search_seconds(const Experiment& experiment, const ExpectedDuration& takes) {
  return experiment.search ? static_cast<double>(evaluations_of(*experiment.search)) * takes.block_seconds
                           : 0;
}

std::string duration_text(const Experiment& experiment, const Style& style) {
  const ExpectedDuration takes = duration_of(experiment);
  const std::string effect = "an effect of " + experiment.smallest_effect.to_string();
  const std::string assumed = "where blocks differ by " + format_share(noise_of(experiment)) +
                              (experiment.noise ? ", as the file says" : ", which is an assumption");
  const double searching = search_seconds(experiment, takes);
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
                     format_number(search.latency_limit) + "; " + std::to_string(evaluations_of(search)) +
                     " are measured, a block each, and the best one is compared with " + experiment.control,
                 style.width) +
         '\n';
}

// Those that are certain: none where the order is drawn when it starts, or what is compared is yet to be
// found.
std::vector<PlannedBlock> first_blocks(const Experiment& experiment) {
  std::vector<PlannedBlock> blocks;
  if (!experiment.seed_given || experiment.search) return blocks;
  Schedule schedule(experiment.seed, experiment.candidates());
  std::map<std::string, unsigned> runs;
  while (blocks.size() < kBlocksShown) {
    const auto block = schedule.next();
    if (!block) break;
    if (++runs[block->candidate] >= experiment.most_blocks) schedule.drop(block->candidate);
    blocks.push_back(*block);
  }
  return blocks;
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json search_json(const SearchWant& search) {
  return {{"policy", search.policy},
          {"service", search.service},
          {"latency", search.latency},
          {"latency_limit", search.latency_limit},
          {"combinations", SearchSpace(search.ranges).size()},
          {"evaluations", evaluations_of(search)}};
}

}  // namespace

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
  std::vector<std::string> blocks;
  for (const PlannedBlock& block : first_blocks(experiment))
    blocks.push_back(block.order + ' ' + block.candidate);
  return text + hanging("first blocks (A is the control): " + join(blocks, ", "), style.width) + '\n';
}

Json schedule_json(const Experiment& experiment, const ExperimentResult& described) {
  const ExpectedDuration takes = duration_of(experiment);
  const double searching = search_seconds(experiment, takes);
  Json blocks = Json::array();
  for (const PlannedBlock& block : first_blocks(experiment))
    blocks.push_back({{"order", block.order}, {"candidate", block.candidate}});
  return {{"experiment", experiment.name},
          {"summary", experiment.summary},
          {"control", experiment.control},
          {"arms", result_json(described).at("arms")},
          {"search", experiment.search ? search_json(*experiment.search) : Json()},
          {"primary", experiment.primary},
          {"smallest_effect", described.smallest_effect},
          {"noise", noise_of(experiment)},
          {"noise_is_assumed", !experiment.noise},
          {"window_seconds", in_seconds(experiment.window)},
          {"washout_seconds", experiment.washout ? Json(in_seconds(*experiment.washout)) : Json()},
          {"least_blocks", experiment.least_blocks},
          {"most_blocks", experiment.most_blocks},
          {"most_seconds", searching + takes.most_seconds},
          {"search_seconds", experiment.search ? Json(searching) : Json()},
          {"typical_blocks", or_null(takes.typical_blocks)},
          {"typical_seconds", or_null(takes.typical_seconds)},
          {"safe_blocks", or_null(takes.safe_blocks)},
          {"seed", experiment.seed_given ? Json(experiment.seed) : Json()},
          {"first_blocks", std::move(blocks)}};
}

}  // namespace bulkhead

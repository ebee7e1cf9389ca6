// SPDX-License-Identifier: Apache-2.0
// A search as an experiment runs it: which policy is measured next, and what is made of its block. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "controller/experiment/result.h"
#include "controller/experiment/search.h"
#include "policies/experiment.h"

namespace bulkhead {

// No arm of a file can have these names.
inline constexpr const char* kFoundArm = "best found";
std::string trial_name(unsigned number);  // "try 3"

struct Trial {
  std::size_t combination = 0;
  std::string point;   // "6 CCDs, 12 ways"
  std::string policy;  // text
  bool designed = false;
};

// Of the windows with this arm; not a number where none has one.
double latency_of(const Experiment& experiment, const std::string& arm,
                  std::span<const WindowRecord> windows);

// One sentence, while nothing is found.
std::string search_verdict(const ExperimentResult& result);

class SearchTrials {
 public:
  // Throws Error(invalid) where the template has no room for what is varied. The experiment has a search, and
  // outlives it.
  SearchTrials(const Experiment& experiment, std::string template_text);
  SearchTrials(const SearchTrials&) = delete;
  SearchTrials& operator=(const SearchTrials&) = delete;

  std::size_t combinations() const { return space_.size(); }

  // None once enough are measured. The same again until it is told, or left out.
  std::optional<Trial> next() const;
  void leave_out(const Trial& trial) { search_.leave_out(trial.combination); }
  // A measured one, or again what has been recorded.
  void tell(const Evaluation& evaluation);

  // The one to compare with the control; none where no combination most likely keeps the latency's limit.
  std::optional<Trial> best() const;

  // Fills in change and latency, or why there are none. `block` has the evaluation's windows.
  void evaluate(BlockRecord block, Evaluation& evaluation) const;

 private:
  Trial trial(std::size_t combination, bool designed) const;

  const Experiment& experiment_;
  std::string template_;
  SearchSpace space_;
  Search search_;
};

}  // namespace bulkhead

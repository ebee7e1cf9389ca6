// SPDX-License-Identifier: Apache-2.0
// Where an experiment in the daemon stands, and the JSON of it. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "controller/daemon/audit_log.h"
#include "controller/experiment/runner.h"

namespace bulkhead {

enum class ExperimentState {
  none,
  starting,  // its policies are planned; nothing is changed yet
  running,
  ending,     // the state from before returns
  elsewhere,  // a bulkhead(1) runs it
};

struct ExperimentStanding {
  ExperimentState state = ExperimentState::none;
  std::string name;
  std::string file;
  Actor by;  // nobody where an earlier daemon started it
  std::string arm, candidate;
  bool searches = false;  // the blocks are a search's
  unsigned block = 0, most_blocks = 0;
  double seconds_left = 0;
  std::string trouble;  // why the state from before does not return yet
};

nlohmann::ordered_json standing_json(const ExperimentStanding& standing);

// The data of events.
nlohmann::ordered_json window_json(const RunProgress& progress);
nlohmann::ordered_json block_json(const RunProgress& progress);
nlohmann::ordered_json ended_json(const ExperimentResult& result);

}  // namespace bulkhead

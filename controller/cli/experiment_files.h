// SPDX-License-Identifier: Apache-2.0
// An experiment with all files that it names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/engine/engine.h"
#include "policies/experiment.h"
#include "policies/reader.h"

namespace bulkhead {

struct PolicyFile {
  std::string path;     // as the experiment names it
  PolicySource source;  // read from the folder of the experiment
  PolicyReading reading;
};

struct ExperimentFiles {
  PolicySource source;
  std::optional<Experiment> experiment;  // as read_experiment gives it
  std::vector<Diagnostic>
      diagnostics;                   // of its own file; policies that cannot be read or lack a service, too
  std::vector<PolicyFile> policies;  // each once

  bool right() const;
};

ExperimentFiles read_experiment_files(PolicySource source);

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// Text to Experiment, as strict as for policies.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policies/diagnostic.h"
#include "policies/experiment.h"

namespace bulkhead {

struct ExperimentReading {
  std::optional<Experiment> experiment;  // there exactly if there are no diagnostics
  std::vector<Diagnostic> diagnostics;   // in the order of the document
};

// The text may be as large as a policy's. The policies of the arms are not read.
ExperimentReading read_experiment(std::string_view text);

// Once the policies' texts are known, by the names that the arms have for them: arms that are the same,
// though called otherwise or copied.
std::vector<Diagnostic> check_arms_with(const std::map<std::string, std::string>& policies,
                                        const Experiment& experiment);

// read_experiment, where a wrong document is an exception: Error(invalid) with the first diagnostic's place
// and message, naming how many more there are.
Experiment require_experiment(std::string_view text, const std::string& file);

}  // namespace bulkhead

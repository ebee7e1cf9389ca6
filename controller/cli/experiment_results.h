// SPDX-License-Identifier: Apache-2.0
// The files that an experiment leaves behind.
#pragma once

#include <string>

#include "controller/experiment/result.h"

namespace bulkhead {

// Throws Error where no file can be made in it: tried before anything is changed.
void require_results_folder(const std::string& directory);

struct WrittenResults {
  std::string page;     // the path of the page to be looked at; empty where it could not be written
  std::string policy;   // of what a search has found; empty for none
  std::string trouble;  // "x.result.json could not be written: ..."; empty where all is there
};

// As many of them as can be written: a measurement that took hours is not lost for one that cannot.
WrittenResults write_results(const ExperimentResult& result, const std::string& directory);

}  // namespace bulkhead

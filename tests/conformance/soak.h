// SPDX-License-Identifier: Apache-2.0
// Random operations with what the model answers, as a file of one case: what a real kernel must answer, too.
#pragma once

#include <cstdint>
#include <string>

#include "tests/conformance/model_host.h"

namespace bulkhead::conformance {

struct Soak {
  std::string host = "amd-12ccd-nps2";
  ModelledKernel kernel = kModelledKernels[0];
  std::uint64_t seed = 1;
  std::size_t operations = 500;
};

std::string make_soak(const Soak& soak);

}  // namespace bulkhead::conformance

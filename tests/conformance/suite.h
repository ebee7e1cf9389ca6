// SPDX-License-Identifier: Apache-2.0
// Runs all cases that a host can show.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "tests/conformance/case_file.h"
#include "tests/conformance/host.h"

namespace bulkhead::conformance {

struct Tally {
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;  // the host lacks an ability
  Tally& operator+=(const Tally& other);
};

// Cases of files that name `host`, for the kernel of that version; a line to `out` for each that fails.
Tally run_on(Host& host, const std::string& name, const KernelVersion& kernel,
             const std::vector<CaseFile>& files, std::ostream& out);

// All of them, on each host that they name and each kernel that is modelled.
Tally run_on_model(const std::vector<CaseFile>& files, std::ostream& out);

std::string summary(const Tally& tally);

}  // namespace bulkhead::conformance

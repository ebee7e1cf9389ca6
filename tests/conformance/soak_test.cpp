// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/soak.h"

#include <gtest/gtest.h>
#include <sstream>

#include "tests/conformance/suite.h"

namespace bulkhead::conformance {
namespace {

TEST(Soak, says_the_same_from_the_same_seed) {
  Soak soak;
  soak.operations = 50;
  const std::string once = make_soak(soak);
  EXPECT_EQ(once, make_soak(soak));
  soak.seed = 2;
  EXPECT_NE(once, make_soak(soak));
}

// It is a file of cases that the model answers as written, on each host and kernel.
TEST(Soak, can_be_run) {
  for (const char* host : {"amd-12ccd-nps2", "intel-2socket"}) {
    for (const ModelledKernel& kernel : kModelledKernels) {
      const Soak soak{host, kernel, 7, 500};
      std::ostringstream out;
      ModelHost model(shape_of(host, kernel.generation));
      const Tally tally = run_on(model, host, kernel.version, {parse_cases(make_soak(soak), "soak")}, out);
      EXPECT_EQ(out.str(), "");
      EXPECT_EQ(tally.passed, 1U);
    }
  }
}

}  // namespace
}  // namespace bulkhead::conformance

// SPDX-License-Identifier: Apache-2.0
// Helpers that run tests/support/pqos/fake_libpqos.cpp instead of libpqos.
#pragma once

#include <cstdlib>

#include "controller/pqos/helper.h"

namespace bulkhead::testing {

// `fault` as FAKE_PQOS has it, for processes that are started from now on.
inline PqosHelperOptions with_fake_library(const char* fault = "", const char* folder = "/fake-libpqos") {
  ::setenv("LD_LIBRARY_PATH", (std::string(PQOS_TEST_FOLDER) + folder).c_str(), 1);
  ::setenv("FAKE_PQOS", fault, 1);
  return {.program = PQOS_TEST_FOLDER "/pqos_helper_program"};
}

}  // namespace bulkhead::testing

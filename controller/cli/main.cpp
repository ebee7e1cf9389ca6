// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "controller/cli/program.h"
#include "controller/pqos/helper_process.h"

int main(int count, char** words) {
  if (bulkhead::is_pqos_helper(count, words)) return bulkhead::run_pqos_helper();
  return bulkhead::run_program({words + std::min(count, 1), words + count});
}

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "controller/cli/program.h"

int main(int count, char** words) {
  return bulkhead::run_program({words + std::min(count, 1), words + count});
}

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "controller/daemon/daemon_program.h"

int main(int count, char** words) {
  return bulkhead::run_daemon_program({words + std::min(count, 1), words + count});
}

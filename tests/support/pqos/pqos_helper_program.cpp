// SPDX-License-Identifier: Apache-2.0
// What tests start as the process that libpqos, or what stands in for it, runs in.
#include "controller/pqos/helper_process.h"

int main(int count, char** words) {
  return bulkhead::is_pqos_helper(count, words) ? bulkhead::run_pqos_helper() : 2;
}

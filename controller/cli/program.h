// SPDX-License-Identifier: Apache-2.0
// The program: finds the verb, runs it, tells errors, gives the exit status.
#pragma once

#include <string>
#include <vector>

namespace bulkhead {

// `words` are the command line without the program's name.
int run_program(const std::vector<std::string>& words);

}  // namespace bulkhead

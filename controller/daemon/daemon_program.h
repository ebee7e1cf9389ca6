// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace bulkhead {

// The program without its name's word; gives its exit status, as bulkhead(1) has them.
int run_daemon_program(const std::vector<std::string>& words);

}  // namespace bulkhead

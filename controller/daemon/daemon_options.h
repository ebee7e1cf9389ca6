// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace bulkhead {

struct DaemonOptions {
  bool help = false;
  bool version = false;
  bool check = false;  // the configuration and its policy, and end
  std::string config;  // empty: the usual file, if it is there
  std::string socket;  // empty: in the runtime directory
  std::string state_directory;
  std::string runtime_directory;
};

// Throws Error(usage).
DaemonOptions parse_daemon_options(const std::vector<std::string>& words);
std::string daemon_help();

}  // namespace bulkhead

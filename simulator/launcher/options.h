// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/kernel_model/shape.h"

namespace bulkhead::sim {

struct LaunchOptions {
  bool help = false;
  bool calibration = false;  // print that of the hardware model, and nothing else
  std::string tell;          // the socket of a running one, and what to tell it
  std::string line;
  std::string services;  // a file; empty for none
  std::string control;   // a socket to listen on; empty for none
  std::uint64_t seed = 1;
  double speed = 1;
  std::string machine;  // a name or file
  Generation generation = Generation::linux_6_12;
  std::vector<char*> command;  // ends with a null pointer
};

// Throws Error(usage). `words` must outlive the result.
LaunchOptions parse_launch_options(int count, char** words);
std::string launch_help();

}  // namespace bulkhead::sim

// SPDX-License-Identifier: Apache-2.0
// What the modelled kernel is asked with, and what it answers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/kernel_model/node.h"

namespace bulkhead::sim {

enum class OpenFor { reading, writing };

struct Entry {
  std::string name;
  bool is_directory = false;
};

struct Listing {
  int error = 0;
  std::vector<Entry> entries;  // by name
};

// An open file or folder: it goes on meaning the thing that was there when it was opened.
struct Handle {
  int error = 0;
  std::string path;
  std::uint64_t identity = 0;
};

// What is at a path; links are not followed at its end.
struct Facts {
  int error = 0;
  NodeKind kind = NodeKind::absent;
  bool writable = false;
  std::uint64_t identity = 0;
};

struct NewProcess {
  std::string name = "worker";
  std::string executable = "/usr/bin/worker";
  std::string cgroup = "/";  // in the hierarchy with cpuset
  unsigned user = 0;
};

}  // namespace bulkhead::sim

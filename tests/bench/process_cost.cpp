// SPDX-License-Identifier: Apache-2.0
// What a whole process costs: "process_cost RUNS BEFORE COMMAND..." runs the command that often, each time
// after the shell command BEFORE (which may be empty), its output thrown away, and prints the medians of CPU
// time and wall time in microseconds and the largest resident set in KiB.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "controller/base/text.h"

namespace {

struct Cost {
  double cpu_us = 0;
  double wall_us = 0;
  long resident_kib = 0;
};

double microseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
}

// posix_spawn does not copy this process, so that what is counted is the command's own.
Cost run_once(char** command) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  if (posix_spawnp(&child, command[0], &actions, nullptr, command, environ) != 0) {
    std::fprintf(stderr, "process_cost: cannot run %s\n", command[0]);
    std::exit(1);
  }
  int status = 0;
  rusage used{};
  ::wait4(child, &status, 0, &used);
  const std::chrono::duration<double, std::micro> wall = std::chrono::steady_clock::now() - start;
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) {
    std::fprintf(stderr, "process_cost: %s ended with status %d\n", command[0], status);
    std::exit(1);
  }
  return {microseconds(used.ru_utime) + microseconds(used.ru_stime), wall.count(), used.ru_maxrss};
}

template <class Value>
Value median(const std::vector<Cost>& costs, Value Cost::*member) {
  std::vector<Value> values;
  for (const Cost& cost : costs) values.push_back(cost.*member);
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int count, char** words) {
  const auto runs = count < 4 ? std::nullopt : bulkhead::parse_integer<unsigned>(words[1]);
  if (!runs || *runs == 0) {
    std::fputs("usage: process_cost RUNS BEFORE COMMAND...\n", stderr);
    return 2;
  }
  std::vector<Cost> costs;
  for (unsigned run = 0; run < *runs; ++run) {
    if (*words[2] != '\0' && std::system(words[2]) != 0) {
      std::fprintf(stderr, "process_cost: %s failed\n", words[2]);
      return 1;
    }
    costs.push_back(run_once(words + 3));
  }
  const auto largest = std::max_element(costs.begin(), costs.end(), [](const Cost& one, const Cost& other) {
    return one.resident_kib < other.resident_kib;
  });
  std::printf("%.0f %.0f %ld\n", median(costs, &Cost::cpu_us), median(costs, &Cost::wall_us),
              largest->resident_kib);
  return 0;
}

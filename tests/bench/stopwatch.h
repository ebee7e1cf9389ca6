// SPDX-License-Identifier: Apache-2.0
// Times of things that take microseconds, and how the programs here say them: a line "NAME VALUE" each.
#pragma once

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <optional>
#include <vector>

#include "controller/base/text.h"

namespace bulkhead::bench {

// CPU time of this process: waiting and other programs do not count.
inline double cpu_us() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

template <class Act>
double timed(Act&& act) {
  const double start = cpu_us();
  act();
  return cpu_us() - start;
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <class Act>
double median_of(unsigned runs, Act&& act) {
  std::vector<double> times;
  for (unsigned run = 0; run < runs; ++run) times.push_back(timed(act));
  return median(std::move(times));
}

inline void say(const char* name, double value) {
  std::printf("%s %.2f\n", name, value);
}

inline unsigned runs_from(const char* word) {
  return std::max(1U, parse_integer<unsigned>(word).value_or(1));
}

}  // namespace bulkhead::bench

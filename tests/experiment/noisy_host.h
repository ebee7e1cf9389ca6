// SPDX-License-Identifier: Apache-2.0
// A host that measures itself with noise: what servers do to an experiment, from a seed.
#pragma once

#include <optional>

#include "tests/experiment/random_source.h"

namespace bulkhead::test {

struct Noise {
  double window = 0.02;      // deviation of one window's ln(throughput)
  double latency = 1.5;      // times that: of ln(p99), as 5,000 requests a window have
  double memory = 0;         // AR(1): the share of a window's noise that is left in the next
  double walk = 0;           // deviation of a random walk's step
  double day = 0;            // amplitude of a diurnal load
  double outliers = 0;       // share of windows with ten times the noise
  bool heavy_tails = false;  // Student's t with three degrees, of the same deviation
  double missing = 0;        // share of windows without a value
};

struct Reading {
  double throughput = 0;  // logarithms
  double p99 = 0;
  bool missing = false;
};

class NoisyHost {
 public:
  NoisyHost(const Noise& noise, std::uint64_t seed);

  // The next window, with an arm in force that has these effects.
  Reading window(double throughput_effect, double p99_effect);
  bool coin() { return random_.uniform() < 0.5; }

 private:
  double noise_of_one();

  Noise noise_;
  RandomSource random_;
  double phase_;
  double windows_ = 0;
  double walked_ = 0;
  double lasting_[2] = {0, 0};
};

}  // namespace bulkhead::test

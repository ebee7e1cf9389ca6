// SPDX-License-Identifier: Apache-2.0
#include "tests/experiment/noisy_host.h"

namespace bulkhead::test {
namespace {

constexpr double kWindowsADay = 86'400.0 / 35;
constexpr double kOutlier = 10;

}  // namespace

NoisyHost::NoisyHost(const Noise& noise, std::uint64_t seed)
    : noise_(noise), random_(seed), phase_(2 * std::numbers::pi * random_.uniform()) {
  for (double& lasting : lasting_) lasting = random_.normal();
}

double NoisyHost::noise_of_one() {
  if (!noise_.heavy_tails) return random_.normal();
  double squares = 0;
  for (int i = 0; i < 3; ++i) {
    const double one = random_.normal();
    squares += one * one;
  }
  return random_.normal() / std::sqrt(squares);  // of deviation 1: three degrees have a variance of 3
}

Reading NoisyHost::window(double throughput_effect, double p99_effect) {
  double fresh[2];
  const bool outlier = random_.uniform() < noise_.outliers;
  for (int metric = 0; metric < 2; ++metric) {
    lasting_[metric] =
        noise_.memory * lasting_[metric] + std::sqrt(1 - noise_.memory * noise_.memory) * noise_of_one();
    fresh[metric] = lasting_[metric] + (outlier ? kOutlier * random_.normal() : 0);
  }
  walked_ += noise_.walk * random_.normal();
  const double day = noise_.day * std::sin(phase_ + 2 * std::numbers::pi * windows_++ / kWindowsADay);
  Reading reading;
  reading.throughput = throughput_effect + noise_.window * fresh[0] + walked_ + day;
  reading.p99 = p99_effect + noise_.latency * (noise_.window * fresh[1] + walked_ + day);
  reading.missing = random_.uniform() < noise_.missing;
  return reading;
}

}  // namespace bulkhead::test

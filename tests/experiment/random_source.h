// SPDX-License-Identifier: Apache-2.0
// Random numbers of simulations: from a seed, the same with every library.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace bulkhead::test {

class RandomSource {
 public:
  // Mixed first: neighbouring seeds must not be the same numbers, one place further.
  explicit RandomSource(std::uint64_t seed) : state_(mixed(seed + kStep)) {}

  std::uint64_t bits() { return mixed(state_ += kStep); }                   // SplitMix64
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // 0 to below 1
  std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>(uniform() * static_cast<double>(bound));
  }
  double normal() {
    if (kept_) {
      kept_ = false;
      return other_;
    }
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    const double angle = 2 * std::numbers::pi * uniform();
    other_ = radius * std::sin(angle);
    kept_ = true;
    return radius * std::cos(angle);
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15U;
  static std::uint64_t mixed(std::uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    return bits ^ (bits >> 31);
  }

  std::uint64_t state_;
  double other_ = 0;
  bool kept_ = false;
};

}  // namespace bulkhead::test

// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/random.h"

#include <cmath>
#include <numbers>

namespace bulkhead::sim {
namespace {

std::uint64_t mix(std::uint64_t bits) {
  bits += 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

}  // namespace

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t position) {
  return mix(mix(mix(seed) ^ stream) ^ position);
}

double uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t position) {
  return static_cast<double>(random_bits(seed, stream, position) >> 11) * 0x1p-53;
}

double normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t position) {
  const double radius = std::sqrt(-2 * std::log(1 - uniform(seed, stream, 2 * position)));
  return radius * std::cos(2 * std::numbers::pi * uniform(seed, stream, 2 * position + 1));
}

}  // namespace bulkhead::sim

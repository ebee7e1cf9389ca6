// SPDX-License-Identifier: Apache-2.0
// Numbers from a seed that are the same with every compiler and library, and can be asked for in any order.
#pragma once

#include <cstdint>

namespace bulkhead::sim {

// SplitMix64's output function over a seed, a stream and a position in it.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t position);
double uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t position);  // 0 to below 1
double normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t position);   // mean 0, deviation 1

}  // namespace bulkhead::sim

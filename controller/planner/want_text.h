// SPDX-License-Identifier: Apache-2.0
// Wants in words, as plans and messages repeat them to their author.
#pragma once

#include <string>

#include "policies/policy.h"

namespace bulkhead {

struct ScopeWord {
  CpuScope scope;
  std::string_view one;   // "CCD"
  std::string_view many;  // "CCDs"
};

const ScopeWord& word_of(CpuScope scope);
std::string count_of(std::size_t count, CpuScope scope);  // "6 CCDs"

std::string describe(const CpuWant& want);            // "6 CCDs within a node, 50% of the cores of each CCD"
std::string describe(const CacheAmount& amount);      // "75%", "12 ways", "24 MiB", "mask fff"
std::string describe(const CacheWant& want);          // the same, or "code 25%, data 50%"
std::string describe(const BandwidthAmount& amount);  // "unlimited", "40 GB/s", "30%"
std::string describe(const BandwidthWant& want);      // the same, or "40 GB/s, slow memory 10 GB/s"

}  // namespace bulkhead

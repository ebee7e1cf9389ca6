// SPDX-License-Identifier: Apache-2.0
// How the kernel reads numbers and bitmaps that are written to its files: laxer than our own parsers in some
// ways, stricter in others, and each refusal with its own errno.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "controller/base/cpu_set.h"

namespace bulkhead::sim {

struct ParsedNumber {
  int error = 0;  // EINVAL, or ERANGE where it does not fit
  std::int64_t value = 0;
};

// Whole text, one newline at the end allowed; base 0 takes 0x and 0 prefixes. Negative only where `least` is.
ParsedNumber parse_number(std::string_view text, unsigned base, std::int64_t least, std::int64_t most);

inline constexpr auto kLargestLong = std::numeric_limits<std::int64_t>::max();

inline ParsedNumber parse_int(std::string_view text) {
  return parse_number(text, 0, std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
}

// By the first letter, "on" and "off" by two: 1, y and on; 0, n and off.
std::optional<bool> parse_bool(std::string_view text);

struct ParsedSet {
  int error = 0;
  CpuSet set;
};

ParsedSet parse_list(std::string_view text, unsigned bits);  // "0-3,8", "all", "0-6:1/2"
ParsedSet parse_mask(std::string_view text, unsigned bits);  // "f", "ff,00000000"
std::string to_mask(const CpuSet& set, unsigned bits);       // "00,0000000f"

bool is_space(char character);  // as isspace(3) in the C locale
std::string_view strip(std::string_view text);

}  // namespace bulkhead::sim

// SPDX-License-Identifier: Apache-2.0
// Amounts with units, as policies and machine files write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bulkhead {

// Hundredths of a percent, so that "37.5%" is exact. 100 % is 10000.
struct Percent {
  std::uint32_t hundredths = 0;

  static std::optional<Percent> parse(std::string_view text);  // "75%", "12.5 %"; 0 to 100 000 %
  std::uint64_t of(std::uint64_t whole) const;                 // rounded down
  std::string to_string() const;                               // "75%", "12.5%"
  auto operator<=>(const Percent&) const = default;
};
inline constexpr Percent kWhole{10000};

// Bytes: "24MiB", "512 KiB", "1GiB", "32768". Binary units only, as caches have.
std::optional<std::uint64_t> parse_bytes(std::string_view text);
std::string format_bytes(std::uint64_t bytes);  // "24 MiB", the largest unit that is exact

// Bytes a second: "40GB/s", "2.5 GB/s", "500MB/s". Decimal units (1 GB = 10^9), as memory has.
std::optional<std::uint64_t> parse_rate(std::string_view text);
std::string format_rate(std::uint64_t bytes_per_second);  // "40 GB/s", "312.5 MB/s"

}  // namespace bulkhead

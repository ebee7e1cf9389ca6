// SPDX-License-Identifier: Apache-2.0
// A set of cache ways, the kernel's capacity bit mask (CBM): bit 0 is way 0.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bulkhead {

struct WayMask {
  std::uint64_t bits = 0;

  static WayMask run(unsigned first, unsigned count);  // `count` ways from `first` on; 0 to 64 in all
  // Hexadecimal with or without 0x, blanks around it allowed; nothing if it is anything else.
  static std::optional<WayMask> parse(std::string_view text);

  unsigned count() const { return static_cast<unsigned>(std::popcount(bits)); }
  bool empty() const { return bits == 0; }
  bool contiguous() const;  // one run of ways, or none
  bool contains(WayMask other) const { return (other.bits & ~bits) == 0; }
  bool intersects(WayMask other) const { return (other.bits & bits) != 0; }

  std::string to_hex() const;                      // "fff": lower case, no 0x, no padding
  std::string to_hex_padded(unsigned ways) const;  // as wide as a mask of that many ways, "0fff"

  friend WayMask operator|(WayMask a, WayMask b) { return {a.bits | b.bits}; }
  friend WayMask operator&(WayMask a, WayMask b) { return {a.bits & b.bits}; }
  friend WayMask operator-(WayMask a, WayMask b) { return {a.bits & ~b.bits}; }
  auto operator<=>(const WayMask&) const = default;
};

}  // namespace bulkhead

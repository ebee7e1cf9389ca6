// SPDX-License-Identifier: Apache-2.0
#include "controller/base/way_mask.h"

#include "controller/base/text.h"

namespace bulkhead {

WayMask WayMask::run(unsigned first, unsigned count) {
  if (count == 0) return {};
  return {(~std::uint64_t{0} >> (64 - count)) << first};
}

std::optional<WayMask> WayMask::parse(std::string_view text) {
  text = trim(text);
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  const auto bits = parse_integer<std::uint64_t>(text, 16);
  if (!bits) return std::nullopt;
  return WayMask{*bits};
}

bool WayMask::contiguous() const {
  if (bits == 0) return true;
  const std::uint64_t from_first = bits >> std::countr_zero(bits);
  return (from_first & (from_first + 1)) == 0;
}

std::string WayMask::to_hex() const {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, bits, 16).ptr;
  return {digits, end};
}

std::string WayMask::to_hex_padded(unsigned ways) const {
  std::string hex = to_hex();
  const std::size_t width = (ways + 3) / 4;
  if (hex.size() < width) hex.insert(0, width - hex.size(), '0');
  return hex;
}

}  // namespace bulkhead

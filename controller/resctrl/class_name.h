// SPDX-License-Identifier: Apache-2.0
// COSn: what libpqos calls its classes, and their groups in resctrl.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "controller/base/text.h"

namespace bulkhead {

inline constexpr std::string_view kClassPrefix = "COS";

inline std::string class_name(unsigned number) {
  return std::string(kClassPrefix) + std::to_string(number);
}

inline std::optional<unsigned> parse_class_name(std::string_view name) {
  if (!name.starts_with(kClassPrefix)) return std::nullopt;
  name.remove_prefix(kClassPrefix.size());
  const auto number = parse_integer<unsigned>(name);
  return number && std::to_string(*number) == name ? number : std::nullopt;
}

}  // namespace bulkhead

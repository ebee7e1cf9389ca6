// SPDX-License-Identifier: Apache-2.0
// schemata and size: how they are printed, and what a write of schemata changes.
#include <algorithm>
#include <bit>
#include <cerrno>

#include "controller/base/way_mask.h"
#include "simulator/kernel_model/resctrl.h"

namespace bulkhead::sim {
namespace {

constexpr std::size_t kHalfNameLength = 4;  // "CODE", "DATA"

std::string padded(const std::string& text, std::size_t width, char with) {
  return text.size() < width ? std::string(width - text.size(), with) + text : text;
}

std::size_t name_width(const std::vector<Schema>& schemas) {
  std::size_t width = 0;
  for (const Schema& schema : schemas) {
    // Room for the halves is kept where the hardware could split the cache.
    const bool could_split = schema.code_and_data && schema.half.empty();
    width = std::max(width, schema.name.size() + (could_split ? kHalfNameLength : 0));
  }
  return width;
}

std::size_t value_width(const std::vector<Schema>& schemas) {
  std::size_t width = 0;
  for (const Schema& schema : schemas) {
    const std::size_t own =
        schema.cache != nullptr ? (schema.cache->mask_bits + 3) / 4 : (schema.bandwidth->percent ? 3 : 4);
    width = std::max(width, own);
  }
  return width;
}

}  // namespace

std::string Resctrl::print_values(const Group& group, bool sizes) const {
  const std::size_t width = name_width(schemas_);
  const bool pads = !sizes && !world_.at_least(Generation::linux_7);
  const std::size_t digits = pads ? value_width(schemas_) : 0;
  std::string text;
  for (const Schema& schema : schemas_) {
    text += padded(schema.name, width, ' ') + ':';
    bool first = true;
    for (const auto& [domain, value] : group.values.at(schema.name)) {
      if (!first) text += ';';
      first = false;
      text += std::to_string(domain) + '=';
      if (schema.cache == nullptr) {
        text += padded(std::to_string(value), digits, ' ');
      } else if (sizes) {
        const auto ways = static_cast<std::uint64_t>(std::popcount(value));
        text += std::to_string(schema.cache->bytes / schema.cache->mask_bits * ways);
      } else {
        text += padded(WayMask{value}.to_hex(), digits, '0');
      }
    }
    text += '\n';
  }
  return text;
}

int Resctrl::write_schemata(Group& group, std::string_view text) {
  command_starts();
  if (!text.ends_with('\n')) {
    if (world_.at_least(Generation::linux_7)) status_.add("schemata: Invalid input");
    return EINVAL;
  }
  text.remove_suffix(1);
  status_.clear();
  Change change;
  if (const int error = parse_schemata(group, text.substr(0, text.find('\0')), change)) return error;
  for (auto& [schema, values] : change) {
    for (const auto& [domain, value] : values) group.values[schema][domain] = value;
  }
  return 0;
}

}  // namespace bulkhead::sim

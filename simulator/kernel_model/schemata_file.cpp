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

std::uint64_t Resctrl::value_of(const Group& group, const Schema& schema, unsigned domain) const {
  const auto values = group.values.find(schema.name);
  if (values == group.values.end()) return 0;
  const auto value = values->second.find(domain);
  return value == values->second.end() ? 0 : value->second;
}

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

bool Resctrl::overlaps(const Group& group, const Schema& schema, unsigned domain, std::uint64_t mask,
                       bool exclusive_only) const {
  if (!exclusive_only && (schema.cache->shareable_mask & mask) != 0) return true;
  const auto collides = [&](const Group& other) {
    if (&other == &group) return false;
    if (exclusive_only && other.mode != GroupMode::exclusive) return false;
    std::uint64_t held = value_of(other, schema, domain);
    if (!schema.half.empty()) {
      Schema half = schema;
      half.name = schema.half;
      held |= value_of(other, half, domain);
    }
    return (held & mask) != 0;
  };
  return collides(*root_) ||
         std::any_of(groups_.begin(), groups_.end(), [&](const auto& other) { return collides(*other); });
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

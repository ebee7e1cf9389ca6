// SPDX-License-Identifier: Apache-2.0
// The grammar of what is written to schemata, with the kernel's words for each mistake. Everything is parsed
// before anything is changed.
#include <bit>
#include <cerrno>
#include <limits>
#include <optional>

#include "controller/base/way_mask.h"
#include "simulator/kernel_model/kernel_text.h"
#include "simulator/kernel_model/resctrl.h"

namespace bulkhead::sim {
namespace {

// The text before the separator, taken off with it; `rest` becomes nothing where there was no separator.
std::string_view take_until(std::optional<std::string_view>& rest, char separator) {
  const std::string_view all = *rest;
  const std::size_t end = all.find(separator);
  rest = end == std::string_view::npos ? std::nullopt : std::optional(all.substr(end + 1));
  return all.substr(0, end);
}

}  // namespace

int Resctrl::parse_schemata(Group& group, std::string_view text, Change& change) {
  for (std::optional<std::string_view> lines = text; lines;) {
    std::optional<std::string_view> line = take_until(lines, '\n');
    const std::string name(strip(take_until(line, ':')));
    if (!line) return fail(EINVAL, "Missing ':'");
    if (line->empty()) return fail(EINVAL, "Missing '" + name + "' value");
    const Schema* schema = nullptr;
    for (const Schema& each : schemas_) {
      if (each.name == name && group.closid < each.closids) schema = &each;
    }
    if (schema == nullptr) return fail(EINVAL, "Unknown or unsupported resource name '" + name + "'");
    if (const int error = parse_line(group, *schema, *line, change)) return error;
  }
  return 0;
}

int Resctrl::parse_line(Group& group, const Schema& schema, std::string_view line, Change& change) {
  std::optional<std::string_view> rest = line;
  while (rest && !rest->empty()) {
    std::optional<std::string_view> value_text = take_until(rest, ';');
    const ParsedNumber id = parse_number(take_until(value_text, '='), 10, 0, kLargestLong);
    if (!value_text || id.error != 0) return fail(EINVAL, "Missing '=' or non-numeric domain");
    const DomainValues& known = group.values[schema.name];
    const auto domain = static_cast<unsigned>(id.value);
    if (!known.contains(domain) || domain != id.value) return EINVAL;  // the kernel says nothing about it
    DomainValues& staged = change[schema.name];
    if (staged.contains(domain)) return fail(EINVAL, "Duplicate domain " + std::to_string(domain));
    std::uint64_t value = 0;
    const std::string_view text = strip(*value_text);
    const int error = schema.cache != nullptr ? parse_mask_value(group, schema, domain, text, value)
                                              : parse_bandwidth(schema, text, value);
    if (error != 0) return error;
    if (schema.cache == nullptr && has_option("mba_MBps")) {
      group.values[schema.name][domain] = value;  // at once, whatever becomes of the rest
    } else {
      staged[domain] = value;
    }
  }
  return 0;
}

int Resctrl::parse_mask_value(const Group& group, const Schema& schema, unsigned domain,
                              std::string_view text, std::uint64_t& value) {
  const CacheShape& cache = *schema.cache;
  const ParsedNumber parsed = parse_number(text, 16, 0, kLargestLong);
  if (parsed.error != 0) return fail(EINVAL, "Non-hex character in the mask " + std::string(text));
  const WayMask mask{static_cast<std::uint64_t>(parsed.value)};
  if ((cache.min_bits > 0 && mask.empty()) || mask.bits > schema.full_mask()) {
    return fail(EINVAL, "Mask out of range");
  }
  if (!cache.sparse && !mask.contiguous()) {
    return fail(EINVAL, "The mask " + mask.to_hex() + " has non-consecutive 1-bits");
  }
  const int run = mask.empty() ? 0 : std::countr_one(mask.bits >> std::countr_zero(mask.bits));
  if (static_cast<unsigned>(run) < cache.min_bits) {
    return fail(EINVAL, "Need at least " + std::to_string(cache.min_bits) + " bits in the mask");
  }
  if (overlaps(group, schema, domain, mask.bits, true)) return fail(EINVAL, "Overlaps with exclusive group");
  if (group.mode == GroupMode::exclusive && overlaps(group, schema, domain, mask.bits, false)) {
    return fail(EINVAL, "Overlaps with other group");
  }
  value = mask.bits;
  return 0;
}

int Resctrl::parse_bandwidth(const Schema& schema, std::string_view text, std::uint64_t& value) {
  const BandwidthShape& bandwidth = *schema.bandwidth;
  const ParsedNumber parsed = parse_number(text, 10, 0, std::numeric_limits<std::uint32_t>::max());
  if (parsed.error != 0) return fail(EINVAL, "Invalid MB value " + std::string(text));
  value = static_cast<std::uint64_t>(parsed.value);
  if (has_option("mba_MBps")) return 0;
  const std::uint64_t largest = default_value(schema);
  if (value < bandwidth.min || value > largest) {
    return fail(EINVAL, "MB value " + std::to_string(value) + " out of range [" +
                            std::to_string(bandwidth.min) + "," + std::to_string(largest) + "]");
  }
  value = (value + bandwidth.granularity - 1) / bandwidth.granularity * bandwidth.granularity;
  return 0;
}

}  // namespace bulkhead::sim

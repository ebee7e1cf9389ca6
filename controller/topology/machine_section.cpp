// SPDX-License-Identifier: Apache-2.0
#include "controller/topology/machine_section.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "controller/base/text.h"
#include "controller/base/units.h"

namespace bulkhead {
namespace {

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  result += text;
  return result += '"';
}

std::string wrong_type(const char* wanted, const nlohmann::json& found) {
  return std::string("this must be ") + wanted + ", but it is " +
         (found.is_null()
              ? "null"
              : std::string(found.is_object() || found.is_array() ? "an " : "a ") + found.type_name());
}

std::string unknown_key(const std::string& key, std::span<const std::string_view> keys) {
  const std::string_view meant = closest(key, keys);
  if (!meant.empty()) return "unknown key " + in_quotes(key) + "; did you mean " + in_quotes(meant) + "?";
  std::vector<std::string> known;
  for (const std::string_view name : keys) known.push_back(in_quotes(name));
  return "unknown key " + in_quotes(key) + "; there are " + join(known, ", ");
}

}  // namespace

MachineSection::MachineSection(const PlacedJson& document, const nlohmann::json& value, std::string pointer,
                               std::span<const std::string_view> keys)
    : document_(document), object_(value), pointer_(std::move(pointer)) {
  if (!value.is_object()) throw error(wrong_type("an object", value));
  for (const auto& [key, ignored] : value.items()) {
    if (std::ranges::find(keys, key) == keys.end()) throw error_at(key, unknown_key(key, keys));
  }
}

bool MachineSection::has(std::string_view key) const {
  return object_.contains(key);
}

MachineSection MachineSection::section(std::string_view key, std::span<const std::string_view> keys) const {
  return {document_, member(key), member_pointer(pointer_, key), keys};
}

std::vector<MachineSection> MachineSection::sections(std::string_view key,
                                                     std::span<const std::string_view> keys) const {
  std::vector<MachineSection> found;
  for (const nlohmann::json& value : array(key)) {
    found.emplace_back(document_, value, pointer_of(key, found.size()), keys);
  }
  return found;
}

std::string MachineSection::text(std::string_view key) const {
  return text_of(member(key), member_pointer(pointer_, key));
}

std::vector<std::string> MachineSection::texts(std::string_view key) const {
  std::vector<std::string> found;
  for (const nlohmann::json& value : array(key))
    found.push_back(text_of(value, pointer_of(key, found.size())));
  return found;
}

std::uint32_t MachineSection::number(std::string_view key, std::uint32_t least, std::uint32_t most) const {
  const nlohmann::json& value = member(key);
  const auto wanted = "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  if (!value.is_number()) throw error_at(key, wrong_type(wanted.c_str(), value));
  const bool fits =
      value.is_number_unsigned() && value.get<std::uint64_t>() >= least && value.get<std::uint64_t>() <= most;
  if (!fits) throw error_at(key, value.dump() + " is not " + wanted);
  return value.get<std::uint32_t>();
}

std::vector<CacheId> MachineSection::ids(std::string_view key) const {
  std::vector<CacheId> found;
  for (const nlohmann::json& value : array(key)) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > CpuSet::kLargest) {
      throw document_.error_at(pointer_of(key, found.size()),
                               "an id must be a whole number from 0 to " + std::to_string(CpuSet::kLargest));
    }
    found.push_back(CacheId{value.get<unsigned>()});
  }
  return found;
}

CpuSet MachineSection::cpus(std::string_view key) const {
  return cpus_of(member(key), member_pointer(pointer_, key));
}

std::vector<CpuSet> MachineSection::cpu_lists(std::string_view key) const {
  std::vector<CpuSet> found;
  for (const nlohmann::json& value : array(key))
    found.push_back(cpus_of(value, pointer_of(key, found.size())));
  return found;
}

bool MachineSection::flag(std::string_view key) const {
  const nlohmann::json& value = member(key);
  if (!value.is_boolean()) throw error_at(key, wrong_type("true or false", value));
  return value.get<bool>();
}

WayMask MachineSection::mask(std::string_view key) const {
  const std::string written = text(key);
  const auto mask = WayMask::parse(written);
  if (!mask) throw error_at(key, in_quotes(written) + " is no way mask; it is hexadecimal, like \"fff\"");
  return *mask;
}

std::uint64_t MachineSection::bytes(std::string_view key) const {
  const std::string written = text(key);
  const auto size = parse_bytes(written);
  if (!size) throw error_at(key, in_quotes(written) + " is no size; sizes are like \"32 MiB\"");
  return *size;
}

std::uint64_t MachineSection::rate(std::string_view key) const {
  const std::string written = text(key);
  const auto rate = parse_rate(written);
  if (!rate) throw error_at(key, in_quotes(written) + " is no bandwidth; bandwidths are like \"51 GB/s\"");
  return *rate;
}

Error MachineSection::error(std::string message) const {
  return document_.error_at(pointer_, std::move(message));
}

Error MachineSection::error_at(std::string_view key, std::string message) const {
  return document_.error_at(member_pointer(pointer_, key), std::move(message));
}

const nlohmann::json& MachineSection::member(std::string_view key) const {
  const auto found = object_.find(key);
  if (found == object_.end()) throw error("the key " + in_quotes(key) + " is missing");
  return *found;
}

const nlohmann::json& MachineSection::array(std::string_view key) const {
  const nlohmann::json& value = member(key);
  if (!value.is_array()) throw error_at(key, wrong_type("an array", value));
  return value;
}

std::string MachineSection::pointer_of(std::string_view key, std::size_t index) const {
  return member_pointer(pointer_, key) + '/' + std::to_string(index);
}

std::string MachineSection::text_of(const nlohmann::json& value, const std::string& pointer) const {
  if (!value.is_string()) throw document_.error_at(pointer, wrong_type("a string", value));
  return value.get<std::string>();
}

CpuSet MachineSection::cpus_of(const nlohmann::json& value, const std::string& pointer) const {
  const std::string list = text_of(value, pointer);
  try {
    return CpuSet::parse_list(list);
  } catch (const Error& error) {
    throw document_.error_at(pointer, error.detail().message);
  }
}

}  // namespace bulkhead

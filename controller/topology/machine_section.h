// SPDX-License-Identifier: Apache-2.0
// One object of a machine file, read key by key; every refusal has its place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controller/base/cpu_set.h"
#include "controller/base/identifiers.h"
#include "controller/base/way_mask.h"
#include "controller/topology/placed_json.h"

namespace bulkhead {

class MachineSection {
 public:
  // The object at `pointer`, which may have no other keys than these.
  MachineSection(const PlacedJson& document, const nlohmann::json& value, std::string pointer,
                 std::span<const std::string_view> keys);

  bool has(std::string_view key) const;
  MachineSection section(std::string_view key, std::span<const std::string_view> keys) const;
  std::vector<MachineSection> sections(std::string_view key, std::span<const std::string_view> keys) const;

  // These throw where the key is missing, unless has() was asked before.
  std::string text(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;
  std::uint32_t number(std::string_view key, std::uint32_t least, std::uint32_t most) const;
  std::vector<CacheId> ids(std::string_view key) const;
  CpuSet cpus(std::string_view key) const;
  std::vector<CpuSet> cpu_lists(std::string_view key) const;
  bool flag(std::string_view key) const;
  WayMask mask(std::string_view key) const;
  std::uint64_t bytes(std::string_view key) const;
  std::uint64_t rate(std::string_view key) const;

  Error error(std::string message) const;  // of the whole object
  Error error_at(std::string_view key, std::string message) const;

 private:
  const nlohmann::json& member(std::string_view key) const;
  const nlohmann::json& array(std::string_view key) const;
  std::string pointer_of(std::string_view key, std::size_t index) const;
  std::string text_of(const nlohmann::json& value, const std::string& pointer) const;
  CpuSet cpus_of(const nlohmann::json& value, const std::string& pointer) const;

  const PlacedJson& document_;
  const nlohmann::json& object_;
  std::string pointer_;
};

}  // namespace bulkhead

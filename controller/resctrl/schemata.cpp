// SPDX-License-Identifier: Apache-2.0
#include "controller/resctrl/schemata.h"

#include <array>
#include <optional>

#include "controller/base/error.h"
#include "controller/base/text.h"

namespace bulkhead {
namespace {

struct ResourceRow {
  Resource resource;
  std::string_view name;
  bool is_mask;
};

constexpr std::array kResources{
    ResourceRow{Resource::l3, "L3", true},
    ResourceRow{Resource::l3_code, "L3CODE", true},
    ResourceRow{Resource::l3_data, "L3DATA", true},
    ResourceRow{Resource::memory_bandwidth, "MB", false},
    ResourceRow{Resource::slow_bandwidth, "SMBA", false},
};

const ResourceRow* find_row(std::string_view name) {
  for (const ResourceRow& row : kResources) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

const ResourceRow& row_of(Resource resource) {
  return kResources[static_cast<std::size_t>(resource)];
}

[[noreturn]] void refuse(std::string_view line, const std::string& why) {
  constexpr std::size_t kMost = 80;
  const std::string shown = std::string(line.substr(0, kMost)) + (line.size() > kMost ? "..." : "");
  throw Error(ErrorCode::invalid, "schemata line '" + shown + "' " + why);
}

std::optional<std::uint64_t> parse_value(const ResourceRow& row, std::string_view text) {
  if (!row.is_mask) return parse_integer<std::uint64_t>(text);
  const auto mask = WayMask::parse(text);
  return mask ? std::optional(mask->bits) : std::nullopt;
}

std::string shown_part(std::string_view part) {
  constexpr std::size_t kMost = 40;
  return "'" + std::string(part.substr(0, kMost)) + (part.size() > kMost ? "..." : "") + "'";
}

void parse_domains(const ResourceRow& row, std::string_view values, std::string_view line,
                   DomainValues& domains) {
  for (const std::string_view part : split(values, ';')) {
    const auto equals = part.find('=');
    const auto id = parse_integer<unsigned>(trim(part.substr(0, equals)));
    if (equals == std::string_view::npos || !id) {
      refuse(line, "has " + shown_part(part) + ", which is not DOMAIN=VALUE");
    }
    const auto value = parse_value(row, trim(part.substr(equals + 1)));
    if (!value) {
      refuse(line, "has " + shown_part(part) + ", whose value is not " +
                       (row.is_mask ? "a hexadecimal mask" : "a decimal number"));
    }
    if (!domains.emplace(CacheId{*id}, *value).second) {
      refuse(line, "names domain " + std::to_string(*id) + " twice");
    }
  }
}

std::string render_value(const ResourceRow& row, std::uint64_t value) {
  return row.is_mask ? WayMask{value}.to_hex() : std::to_string(value);
}

}  // namespace

Schemata parse_schemata(std::string_view text) {
  Schemata schemata;
  for (const std::string_view whole : split(text, '\n')) {
    const std::string_view line = trim(whole);
    if (line.empty()) continue;
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) refuse(line, "has no ':'");
    const ResourceRow* row = find_row(trim(line.substr(0, colon)));
    const std::string_view values = trim(line.substr(colon + 1));
    if (row == nullptr || values == "uninitialized") continue;
    parse_domains(*row, values, line, schemata[row->resource]);
  }
  return schemata;
}

std::string render_schemata_change(const Schemata& now, const Schemata& wanted) {
  std::string text;
  for (const auto& [resource, domains] : wanted) {
    const auto known = now.find(resource);
    std::string parts;
    for (const auto& [domain, value] : domains) {
      if (known != now.end()) {
        const auto current = known->second.find(domain);
        if (current != known->second.end() && current->second == value) continue;
      }
      if (!parts.empty()) parts += ';';
      parts += to_string(domain) + '=' + render_value(row_of(resource), value);
    }
    if (!parts.empty()) text += std::string(resource_name(resource)) + ':' + parts + '\n';
  }
  return text;
}

Schemata merged(const Schemata& now, const Schemata& change) {
  Schemata result = now;
  for (const auto& [resource, domains] : change) {
    for (const auto& [domain, value] : domains) result[resource][domain] = value;
  }
  return result;
}

std::string_view resource_name(Resource resource) {
  return row_of(resource).name;
}

Schemata same_domains(const Schemata& now, const Schemata& wanted) {
  Schemata part;
  for (const auto& [resource, values] : wanted) {
    const auto current = now.find(resource);
    if (current == now.end()) continue;
    for (const auto& [domain, value] : values) {
      if (const auto found = current->second.find(domain); found != current->second.end()) {
        part[resource][domain] = found->second;
      }
    }
  }
  return part;
}

}  // namespace bulkhead

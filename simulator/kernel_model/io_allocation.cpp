// SPDX-License-Identifier: Apache-2.0
// info/L3/io_alloc and io_alloc_cbm, since Linux 6.19 on AMD: devices that write into the cache have masks of
// their own, those of the highest CLOSID.
#include <cerrno>

#include "controller/base/text.h"
#include "controller/base/way_mask.h"
#include "simulator/kernel_model/kernel_text.h"
#include "simulator/kernel_model/resctrl.h"

namespace bulkhead::sim {

void Resctrl::add_io_files(const Schema& schema, Entries& files) {
  files.emplace_back("io_alloc", [this, &schema] {
    return file(
        [this] {
          return Answer{0, io_ ? "enabled\n" : "disabled\n"};
        },
        [this, &schema](std::string_view text) { return write_io(schema, text); });
  });
  files.emplace_back("io_alloc_cbm", [this, &schema] {
    return file([this, &schema] { return print_io_masks(schema); },
                [this, &schema](std::string_view text) { return write_io_masks(schema, text); });
  });
}

int Resctrl::write_io(const Schema& schema, std::string_view text) {
  const std::optional<bool> wanted = parse_bool(text);
  if (!wanted) return EINVAL;
  status_.clear();
  if (*wanted == (io_ != nullptr)) return 0;
  const unsigned closid = schema.closids - 1;
  if (*wanted) return enable_io(schema, closid);
  free_closids_.insert(closid);
  io_.reset();
  return 0;
}

int Resctrl::enable_io(const Schema& schema, unsigned closid) {
  const std::string id = std::to_string(closid);
  for (const auto& group : groups_) {
    if (group->closid == closid) {
      return fail(ENOSPC, "CLOSID (ctrl_hw_id) " + id + " for io_alloc is used by " + group->name + " group");
    }
  }
  if (free_closids_.erase(closid) == 0) {
    return fail(EINVAL, "io_alloc CLOSID (ctrl_hw_id) " + id + " is not available");
  }
  auto io = std::make_unique<Group>();
  io->closid = closid;
  if (const int error = set_initial_values(*io, schema)) {
    free_closids_.insert(closid);
    return fail(error, "Failed to initialize io_alloc allocations");
  }
  if (!schema.half.empty()) io->values[schema.half] = io->values[schema.name];
  io_ = std::move(io);
  return 0;
}

Answer Resctrl::print_io_masks(const Schema& schema) {
  status_.clear();
  if (!io_) return {fail(EINVAL, "io_alloc is not enabled on " + schema.name), {}};
  std::string text;
  for (const auto& [domain, mask] : io_->values[schema.name]) {
    text += (text.empty() ? "" : ";") + std::to_string(domain) + '=' + WayMask{mask}.to_hex();
  }
  return {0, text + '\n'};
}

int Resctrl::write_io_masks(const Schema& schema, std::string_view text) {
  if (!text.ends_with('\n')) return EINVAL;
  text.remove_suffix(1);
  status_.clear();
  if (!io_) return fail(EINVAL, "io_alloc is not enabled on " + schema.name);
  DomainValues staged;
  if (const int error = parse_io_masks(schema, text, staged)) return error;
  for (const auto& [domain, mask] : staged) {
    io_->values[schema.name][domain] = mask;
    if (!schema.half.empty()) io_->values[schema.half][domain] = mask;  // devices know no code
  }
  return 0;
}

int Resctrl::parse_io_masks(const Schema& schema, std::string_view text, DomainValues& staged) {
  const DomainValues& known = io_->values[schema.name];
  for (const std::string_view part : split(text, ';')) {
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    const bool all = name == "*";
    const ParsedNumber id = parse_number(name, 10, 0, kLargestLong);
    if (equals == std::string_view::npos || (!all && id.error != 0)) {
      return fail(EINVAL, "Missing '=' or non-numeric domain");
    }
    bool found = false;
    for (const auto& [domain, mask] : known) {
      if (!all && domain != static_cast<std::uint64_t>(id.value)) continue;
      found = true;
      if (staged.contains(domain)) return fail(EINVAL, "Duplicate domain " + std::to_string(domain));
      std::uint64_t value = 0;
      if (const int error = parse_mask_value(*io_, schema, domain, strip(part.substr(equals + 1)), value))
        return error;
      staged[domain] = value;
    }
    if (!found) return fail(EINVAL, "Invalid domain " + std::string(name));
  }
  return 0;
}

}  // namespace bulkhead::sim

// SPDX-License-Identifier: Apache-2.0
// mon_data and the threshold that decides when an RMID can be used again.
#include <cerrno>
#include <limits>

#include "simulator/kernel_model/kernel_text.h"
#include "simulator/kernel_model/resctrl.h"

namespace bulkhead::sim {
namespace {

constexpr unsigned kIdentityBits = 32;  // room for the group's in a file's

std::string folder_name(unsigned domain) {
  const std::string number = std::to_string(domain);
  return "mon_L3_" + std::string(number.size() < 2 ? 1 : 0, '0') + number;
}

}  // namespace

// A control group's value includes its monitoring groups'; it fails only where all of them do, and then as
// the last one did.
Answer Resctrl::read_event(const Group& group, unsigned domain, const std::string& event) {
  const auto own_reading = [&](const Group& each) -> Reading {
    if (counting_.lacks_counter(domain, each.rmid, event)) return {CounterState::unassigned, 0};
    return counters_.read({domain, each.rmid, event});
  };
  Reading sum = own_reading(group);
  bool any_good = sum.state == CounterState::good;
  for (const auto& child : group.monitoring) {
    const Reading part = own_reading(*child);
    sum.state = part.state;
    sum.bytes += part.bytes;
    any_good |= part.state == CounterState::good;
  }
  if (any_good) return {0, std::to_string(sum.bytes) + '\n'};
  if (sum.state == CounterState::unassigned) return {0, "Unassigned\n"};
  return {0, sum.state == CounterState::error ? "Error\n" : "Unavailable\n"};
}

Node Resctrl::monitoring_data(const Group& group) {
  Entries folders;
  domains(3).for_each([&](unsigned domain) {
    const std::uint64_t identity = group.identity | domain_identities_.at(domain) << kIdentityBits;
    folders.emplace_back(folder_name(domain), [this, &group, domain, identity] {
      Entries files;
      for (const std::string& event : counters_.shape().events) {
        files.emplace_back(event, [this, &group, domain, event, identity] {
          Node node = file([this, &group, domain, event] {
            command_starts();
            return read_event(group, domain, event);
          });
          node.identity = identity;
          return node;
        });
      }
      Node folder = directory(std::move(files));
      folder.identity = identity;
      return folder;
    });
  });
  Node node = directory(std::move(folders));
  node.identity = group.identity;
  return node;
}

int Resctrl::write_threshold(std::string_view text) {
  const ParsedNumber bytes = parse_number(text, 0, 0, std::numeric_limits<std::uint32_t>::max());
  if (bytes.error != 0) return bytes.error;
  const auto wanted = static_cast<std::uint64_t>(bytes.value);
  if (wanted > counters_.shape().threshold_limit) return EINVAL;
  threshold_ = wanted / counters_.shape().unit_bytes * counters_.shape().unit_bytes;
  return 0;
}

}  // namespace bulkhead::sim

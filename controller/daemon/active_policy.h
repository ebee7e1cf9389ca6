// SPDX-License-Identifier: Apache-2.0
// The policy in force as it outlives a reboot. What the kernel has goes with a boot, and with it everything
// in the runtime directory; this says what to put in force again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "controller/engine/state.h"
#include "controller/engine/store.h"

namespace bulkhead {

struct ActivePolicy {
  std::uint64_t generation = 0;
  std::string policy_text;  // empty: none is in force
  std::string policy_file;
  std::string applied_at;  // UTC, ISO 8601
  std::string boot;        // the kernel's id of the boot in which this was so
  bool operator==(const ActivePolicy&) const = default;
};

// Of what is in force now.
ActivePolicy active_policy_of(const State& state, const std::string& boot);

// Nothing where nothing was ever put in force. A file that makes no sense is set aside under the name that
// `set_aside` becomes, so that nobody starts in vain again and again.
std::optional<ActivePolicy> read_active_policy(Store& store, std::string& set_aside);
void write_active_policy(Store& store, const ActivePolicy& active);

}  // namespace bulkhead

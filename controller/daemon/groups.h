// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>

namespace bulkhead {

// The id of a group of this system; nothing if there is none of that name.
std::optional<gid_t> group_named(const std::string& name);

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/groups.h"

#include <grp.h>
#include <vector>

namespace bulkhead {

std::optional<gid_t> group_named(const std::string& name) {
  constexpr std::size_t kLargestEntry = 1 << 20;  // of a group with tens of thousands of members
  group entry{};
  group* found = nullptr;
  std::vector<char> buffer(4096);
  while (::getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) == ERANGE &&
         buffer.size() < kLargestEntry) {
    buffer.resize(buffer.size() * 2);
  }
  if (found == nullptr) return std::nullopt;
  return found->gr_gid;
}

}  // namespace bulkhead

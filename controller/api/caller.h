// SPDX-License-Identifier: Apache-2.0
// Who is at the other end of a socket, as the kernel says, and what that one may do.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "controller/api/rights.h"
#include "controller/kernel/file_system.h"

namespace bulkhead {

struct Caller {
  unsigned uid = 0;
  unsigned gid = 0;
  unsigned pid = 0;  // 0 where the process is in no PID namespace that we see
  std::string unit;  // the systemd unit that the process is in; empty if none, or if it has ended
  Right right = Right::none;
};

struct AccessGroups {
  std::optional<unsigned> admin;  // those who may change things, besides root
  std::optional<unsigned> read;
};

// The credentials are those from when it connected. Throws Error(refused) if the socket has no peer.
Caller caller_of(int socket, FileSystem& files, const AccessGroups& access);

// `groups` with the primary one.
Right right_of(unsigned uid, std::span<const unsigned> groups, const AccessGroups& access);

// The unit of the system manager on a cgroup path: "/system.slice/a.service/sub" is in
// a.service, and what a user manager runs is in user@1000.service. Empty if there is none but slices.
std::string unit_of_cgroup(std::string_view path);

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/api/caller.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/socket.h>
#include <vector>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/kernel/paths.h"

namespace bulkhead {
namespace {

constexpr std::array<std::string_view, 3> kUnitSuffixes{".service", ".scope", ".socket"};

// The supplementary groups; the kernel says how many there are where the room does not suffice.
std::vector<unsigned> groups_of(int socket) {
  std::vector<gid_t> groups(32);
  for (;;) {
    auto bytes = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
    const int failed = ::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes);
    if (failed != 0 && errno != ERANGE) return {};
    groups.resize(bytes / sizeof(gid_t));
    if (failed == 0) return {groups.begin(), groups.end()};
  }
}

// Lines are "number:controllers:/path"; cgroup v2's is "0::/path", systemd's own of v1
// "1:name=systemd:/path".
std::string unit_of_process(unsigned pid, FileSystem& files) {
  const auto process = files.open_directory_if_there(std::string(paths::kProc) + '/' + std::to_string(pid));
  const auto text = process ? process->read_if_there("cgroup") : std::nullopt;
  if (!text) return {};
  std::string unit;
  for (const std::string_view line : split(*text, '\n')) {
    const auto path = line.find(":/");
    if (path == std::string_view::npos) continue;
    if (line.starts_with("0::") && unit.empty()) unit = unit_of_cgroup(line.substr(path + 1));
    if (line.substr(0, path).ends_with(":name=systemd")) unit = unit_of_cgroup(line.substr(path + 1));
  }
  return unit;
}

}  // namespace

std::string unit_of_cgroup(std::string_view path) {
  for (const std::string_view name : split(path, '/')) {
    for (const std::string_view suffix : kUnitSuffixes) {
      if (name.ends_with(suffix) && name.size() > suffix.size()) return std::string(name);
    }
  }
  return {};
}

Right right_of(unsigned uid, std::span<const unsigned> groups, const AccessGroups& access) {
  const auto member_of = [&](const std::optional<unsigned>& group) {
    return group && std::find(groups.begin(), groups.end(), *group) != groups.end();
  };
  if (uid == 0 || member_of(access.admin)) return Right::admin;
  return member_of(access.read) ? Right::read : Right::none;
}

Caller caller_of(int socket, FileSystem& files, const AccessGroups& access) {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0) {
    throw Error::from_errno(errno, "cannot tell who is calling", "the API's socket");
  }
  std::vector<unsigned> groups = groups_of(socket);
  groups.push_back(peer.gid);
  Caller caller{.uid = peer.uid, .gid = peer.gid, .pid = static_cast<unsigned>(peer.pid)};
  caller.right = right_of(caller.uid, groups, access);
  if (caller.right != Right::none && caller.pid != 0) caller.unit = unit_of_process(caller.pid, files);
  return caller;
}

}  // namespace bulkhead

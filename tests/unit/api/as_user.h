// SPDX-License-Identifier: Apache-2.0
// What another user gets to see. Needs root.
#pragma once

#include <grp.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace bulkhead {

struct OtherUser {
  unsigned uid;
  unsigned gid;
  std::vector<gid_t> groups;  // supplementary ones
};

// All that a process of that user reads from the socket after it has said `said` and no more. The child only
// makes system calls, for other threads may have held locks when it was made.
inline std::string heard_by(const OtherUser& user, const std::string& path, std::string_view said) {
  int pipe[2];
  if (::pipe(pipe) != 0) return "(no pipe)";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const pid_t child = ::fork();
  if (child == 0) {
    char bytes[4096];
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    if (::setgroups(user.groups.size(), user.groups.data()) != 0 ||
        ::setresgid(user.gid, user.gid, user.gid) != 0 || ::setresuid(user.uid, user.uid, user.uid) != 0 ||
        ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      ::_exit(1);
    }
    ::send(socket, said.data(), said.size(), MSG_NOSIGNAL);
    ::shutdown(socket, SHUT_WR);
    for (ssize_t count = 0; (count = ::read(socket, bytes, sizeof bytes)) > 0;) {
      if (::write(pipe[1], bytes, static_cast<std::size_t>(count)) != count) break;
    }
    ::_exit(0);
  }
  ::close(pipe[1]);
  std::string heard;
  char bytes[4096];
  for (ssize_t count = 0; (count = ::read(pipe[0], bytes, sizeof bytes)) > 0;) {
    heard.append(bytes, static_cast<std::size_t>(count));
  }
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? heard : "(could not connect)";
}

}  // namespace bulkhead

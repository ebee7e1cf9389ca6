// SPDX-License-Identifier: Apache-2.0
// The socket file that callers connect to.
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>

#include "controller/base/unique_fd.h"

namespace bulkhead {

struct SocketOptions {
  std::string path;
  mode_t mode = 0660;
  std::optional<gid_t> group;  // else the process's own
};

class ListeningSocket {
 public:
  // The file's directory is made if it is not there, the file of a daemon that has died is replaced; there is
  // no moment at which it can be connected to with other rights. Throws Error(conflict) if a daemon listens
  // there, and for a file that is no socket.
  explicit ListeningSocket(const SocketOptions& options);

  // Passed in by who started us: its file, if it has one, is theirs. Throws Error(invalid) if it is no Unix
  // stream socket that listens.
  explicit ListeningSocket(UniqueFd inherited);

  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ~ListeningSocket();  // removes the file, if it is still ours

  int descriptor() const { return descriptor_.get(); }

 private:
  UniqueFd descriptor_;
  std::string path_;  // empty: not ours to remove
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace bulkhead

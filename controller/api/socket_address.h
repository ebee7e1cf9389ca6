// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <sys/socket.h>
#include <sys/un.h>

#include "controller/base/error.h"

namespace bulkhead {

// The address of a Unix socket with a file. Throws Error(invalid) if the path is too long for one.
class SocketAddress {
 public:
  explicit SocketAddress(const std::string& path) {
    constexpr std::size_t kMost = sizeof(sockaddr_un::sun_path) - 1;
    if (path.size() > kMost) {
      throw Error(ErrorCode::invalid,
                  "the path of a socket has at most " + std::to_string(kMost) + " bytes, unlike " + path);
    }
    address_.sun_family = AF_UNIX;
    path.copy(address_.sun_path, path.size());
  }

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  socklen_t size() const { return sizeof address_; }

 private:
  sockaddr_un address_{};
};

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// The other end of a connection, byte by byte.
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

#include "controller/api/socket_address.h"
#include "controller/base/unique_fd.h"

namespace bulkhead {

class RawCaller {
 public:
  explicit RawCaller(const std::string& path) { connect(path); }
  RawCaller() = default;  // not connected yet

  bool connect(const std::string& path) {
    const SocketAddress address(path);
    return ::connect(socket_.get(), address.get(), address.size()) == 0;
  }

  // How many bytes were taken, without waiting for more room.
  std::size_t offer(std::string_view bytes) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent < 0 ? 0 : static_cast<std::size_t>(sent);
  }
  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  void end() { ::shutdown(socket_.get(), SHUT_WR); }
  void hang_up() { socket_ = UniqueFd(); }

  // The next line; "(end)" where the connection has ended, "(nothing)" where none comes in time.
  std::string line(int patience_ms = 5000) {
    for (;;) {
      const std::size_t newline = received_.find('\n');
      if (newline != std::string::npos) {
        std::string taken = received_.substr(0, newline);
        received_.erase(0, newline + 1);
        return taken;
      }
      pollfd wanted{.fd = socket_.get(), .events = POLLIN, .revents = 0};
      if (::poll(&wanted, 1, patience_ms) <= 0) return "(nothing)";
      char bytes[65536];
      const ssize_t count = ::recv(socket_.get(), bytes, sizeof bytes, 0);
      if (count <= 0) return "(end)" + received_;
      received_.append(bytes, static_cast<std::size_t>(count));
    }
  }
  // Nothing comes within a moment.
  bool silent() { return line(30) == "(nothing)"; }

  std::string ask(std::string_view request) {
    send(std::string(request) + '\n');
    return line();
  }

 private:
  UniqueFd socket_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::string received_;
};

}  // namespace bulkhead

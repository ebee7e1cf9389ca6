// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/control_socket.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include "controller/base/error.h"

namespace bulkhead::sim {
namespace {

constexpr std::size_t kLongestLine = 64 << 10;

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    throw Error(ErrorCode::usage, "the path of a socket has at most " +
                                      std::to_string(sizeof address.sun_path - 1) + " characters: " + path);
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

UniqueFd new_socket() {
  UniqueFd made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!made) throw Error::from_errno(errno, "cannot make a socket", "");
  return made;
}

bool send_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(to, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

// The next line without its newline; false at the end, or where it is too long.
bool receive_line(int from, std::string& buffer, std::string& line) {
  for (;;) {
    if (const auto end = buffer.find('\n'); end != std::string::npos) {
      line = buffer.substr(0, end);
      buffer.erase(0, end + 1);
      return true;
    }
    char chunk[4096];
    const ssize_t got = ::recv(from, chunk, sizeof chunk, 0);
    if (got <= 0 || buffer.size() > kLongestLine) return false;
    buffer.append(chunk, static_cast<std::size_t>(got));
  }
}

}  // namespace

ControlSocket::ControlSocket(std::string path, std::function<std::string(std::string_view)> answer)
    : path_(std::move(path)), answer_(std::move(answer)), listener_(new_socket()) {
  const sockaddr_un address = address_of(path_);
  const mode_t before = ::umask(S_IRWXG | S_IRWXO);
  const int bound = ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::umask(before);
  constexpr int kWaiting = 16;
  if (bound != 0 || ::listen(listener_.get(), kWaiting) != 0) {
    throw Error::from_errno(errno, "cannot listen", path_);
  }
  thread_ = std::thread([this] { serve(); });
}

ControlSocket::~ControlSocket() {
  ::shutdown(listener_.get(), SHUT_RDWR);
  thread_.join();
  ::unlink(path_.c_str());
}

void ControlSocket::serve() {
  for (;;) {
    const UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (client) {
      talk(client.get());
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return;
    }
  }
}

void ControlSocket::talk(int client) {
  std::string buffer;
  std::string line;
  while (receive_line(client, buffer, line)) {
    if (!send_all(client, answer_(line) + '\n')) return;
  }
}

std::string tell(const std::string& path, const std::string& line) {
  const UniqueFd server = new_socket();
  const sockaddr_un address = address_of(path);
  if (::connect(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw Error::from_errno(errno, "cannot reach the simulated host", path);
  }
  std::string buffer;
  std::string answer;
  if (!send_all(server.get(), line + '\n') || !receive_line(server.get(), buffer, answer)) {
    throw Error(ErrorCode::refused, "the simulated host hung up");
  }
  return answer;
}

}  // namespace bulkhead::sim

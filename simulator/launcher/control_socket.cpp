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

// A simulator that was killed has left its socket; nobody answers there, and its place can be had.
void make_room(const std::string& path, const sockaddr_un& address) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;
  if (!S_ISSOCK(status.st_mode)) throw Error(ErrorCode::conflict, path + " is there already, and no socket");
  const UniqueFd visitor = new_socket();
  if (::connect(visitor.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    throw Error(ErrorCode::conflict, "another simulated host listens at " + path);
  }
  if (errno == ECONNREFUSED) ::unlink(path.c_str());
}

}  // namespace

ControlSocket::ControlSocket(std::string path, Answer answer)
    : path_(std::move(path)), answer_(std::move(answer)), listener_(new_socket()) {
  const sockaddr_un address = address_of(path_);
  make_room(path_, address);
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
  // No waiting: a client may say nothing, or be answered slowly. Their threads keep what they need.
  ::unlink(path_.c_str());
  ::shutdown(listener_.get(), SHUT_RDWR);
  thread_.join();
}

void ControlSocket::serve() {
  for (;;) {
    UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (client) {
      // One that is silent does not hold up the others.
      std::thread([kept = std::move(client), answer = answer_] { talk(kept.get(), answer); }).detach();
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return;
    }
  }
}

void ControlSocket::talk(int client, const Answer& answer) {
  std::string buffer;
  std::string line;
  while (receive_line(client, buffer, line)) {
    if (!send_all(client, answer(line) + '\n')) return;
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

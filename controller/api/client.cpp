// SPDX-License-Identifier: Apache-2.0
#include "controller/api/client.h"

#include <cerrno>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/socket.h>

#include "controller/api/answer.h"
#include "controller/api/error_json.h"
#include "controller/api/methods.h"
#include "controller/api/socket_address.h"
#include "controller/base/error.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;
using std::chrono::steady_clock;

[[noreturn]] void throw_ended() {
  throw Error(ErrorCode::refused,
              "the daemon ended the connection before it answered: what became of the request is not known");
}

[[noreturn]] void throw_silent(std::string_view method, std::chrono::milliseconds patience) {
  throw Error(
      ErrorCode::refused,
      "the daemon has not answered " + std::string(method) + " within " + std::to_string(patience.count()) +
          " ms: it is stopped, hangs or has much to do (see systemctl status bulkheadd; --timeout waits "
          "for longer); what becomes of the request is not known");
}

std::chrono::milliseconds usual_patience(std::string_view method) {
  const Method* known = find_method(method);
  return known == nullptr || known->right == Right::read ? Client::kReadPatience : Client::kChangePatience;
}

[[noreturn]] void throw_error(const Json& error) {
  const Json data = error.value("data", Json());
  if (data.is_object()) throw Error(error_detail(data));
  throw Error(ErrorCode::internal,
              error.value("message", "the daemon answered with an error that it did not explain"));
}

Json parse_line(const std::string& line) {
  Json message = Json::parse(line, nullptr, false);
  if (!message.is_object())
    throw Error(ErrorCode::internal, "the daemon answered with what is no object of JSON");
  return message;
}

// Whether something is to be read by then.
bool wait_readable(int socket, std::optional<steady_clock::time_point> until) {
  for (;;) {
    int patience = -1;
    if (until) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - steady_clock::now()).count();
      patience = left > 0 ? static_cast<int>(left) : 0;
    }
    pollfd wanted{.fd = socket, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&wanted, 1, patience);
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

}  // namespace

std::optional<Client> Client::connect(const std::string& socket_path) {
  const SocketAddress address(socket_path);
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) throw Error::from_errno(errno, "cannot make a socket", "AF_UNIX");
  if (::connect(socket.get(), address.get(), address.size()) == 0) return Client(std::move(socket));
  if (errno == ENOENT || errno == ECONNREFUSED) return std::nullopt;
  throw Error::from_errno(errno, "cannot call the daemon", socket_path);
}

void Client::send(std::string_view line, std::chrono::milliseconds patience) {
  const timeval limit{.tv_sec = patience.count() / 1000, .tv_usec = patience.count() % 1000 * 1000};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  while (!line.empty()) {
    const ssize_t sent = ::send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    // Who turns us away says why, and reads nothing: it is there to be read.
    if (sent < 0) return;
    line.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::optional<std::string> Client::next_line(Deadline until) {
  std::size_t searched = 0;
  for (;;) {
    const std::size_t newline = received_.find('\n', searched);
    if (newline != std::string::npos) {
      std::string line = received_.substr(0, newline);
      received_.erase(0, newline + 1);
      return line;
    }
    searched = received_.size();
    if (until && !wait_readable(socket_.get(), until)) return std::nullopt;
    char bytes[16384];
    const ssize_t count = ::recv(socket_.get(), bytes, sizeof bytes, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw_ended();
    received_.append(bytes, static_cast<std::size_t>(count));
  }
}

Json Client::call(std::string_view method, const Json& params) {
  const std::uint64_t id = ++last_id_;
  Json request{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}};
  if (!params.is_null()) request["params"] = params;
  const std::chrono::milliseconds patience = patience_.value_or(usual_patience(method));
  const Deadline until = steady_clock::now() + patience;
  send(one_line(request) + '\n', patience);
  for (;;) {
    std::optional<std::string> line = next_line(until);
    if (!line) throw_silent(method, patience);
    Json message = parse_line(*line);
    if (message.contains("method")) {
      events_.push_back(std::move(*line));
      continue;
    }
    // Without an id it is about the connection.
    const Json answered = message.value("id", Json());
    if (message.contains("error") && (answered == id || answered.is_null())) throw_error(message["error"]);
    if (answered == id) return std::move(message["result"]);
  }
}

std::optional<Json> Client::next_event(std::optional<std::chrono::milliseconds> patience) {
  std::optional<std::string> line;
  if (events_.empty()) {
    line = next_line(patience ? Deadline(steady_clock::now() + *patience) : std::nullopt);
    if (!line) return std::nullopt;
  } else {
    line = std::move(events_.front());
    events_.pop_front();
  }
  Json message = parse_line(*line);
  if (message.contains("error")) throw_error(message["error"]);
  return std::move(message["params"]);
}

}  // namespace bulkhead

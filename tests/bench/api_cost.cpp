// SPDX-License-Identifier: Apache-2.0
// "api_cost RUNS": round trips through the API beside those of an echo that does nothing else, by the clock,
// as two threads share the work. All are taken in turns.
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "controller/api/server.h"
#include "controller/api/socket_address.h"
#include "tests/bench/stopwatch.h"

namespace bulkhead {
namespace {

constexpr unsigned kBatch = 100;
constexpr unsigned kWatchers = 1000;
constexpr std::size_t kStatusBytes = 8192;
const std::string kAsk = R"({"jsonrpc":"2.0","id":1,"method":"policy.active"})"
                         "\n";
const std::string kAskStatus = R"({"jsonrpc":"2.0","id":1,"method":"state.status"})"
                               "\n";
const std::string kSubscribe = R"({"jsonrpc":"2.0","id":1,"method":"events.subscribe"})"
                               "\n";

// A line goes out, a line comes back.
void round_trip(int socket, const std::string& line) {
  static char bytes[2 * kStatusBytes];
  if (::send(socket, line.data(), line.size(), 0) < 0) std::exit(1);
  for (;;) {
    const ssize_t count = ::recv(socket, bytes, sizeof bytes, 0);
    if (count <= 0) std::exit(1);
    if (bytes[count - 1] == '\n') return;
  }
}

// The least that serves many: waits for any of its clients, and answers each read with the same line.
class Echo {
 public:
  explicit Echo(std::size_t bytes) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) std::exit(1);
    socket = UniqueFd(ends[0]);
    thread_ = std::thread([end = UniqueFd(ends[1]), line = std::string(bytes - 1, 'x') + '\n'] {
      const UniqueFd poll(::epoll_create1(EPOLL_CLOEXEC));
      epoll_event event{.events = EPOLLIN, .data = {.fd = end.get()}};
      ::epoll_ctl(poll.get(), EPOLL_CTL_ADD, end.get(), &event);
      char read[1024];
      do {
        ::epoll_wait(poll.get(), &event, 1, -1);
        if (::recv(event.data.fd, read, sizeof read, 0) <= 0) return;
      } while (::send(event.data.fd, line.data(), line.size(), 0) > 0);
    });
  }
  ~Echo() {
    ::shutdown(socket.get(), SHUT_RDWR);
    thread_.join();
  }

  UniqueFd socket;

 private:
  std::thread thread_;
};

class Api {
 public:
  explicit Api(const std::string& path) : path_(path) {
    const std::string status(kStatusBytes - 40, 's');
    for (const Method& method : methods()) {
      if (method.answered_by != AnsweredBy::handler) continue;
      const std::string result = method.name == "state.status" ? '"' + status + '"' : "{}";
      dispatcher_.handle(method.name, [result](const Caller&, const nlohmann::json&, const Reply& reply) {
        reply(Answer::rendered(result));
      });
    }
    server_.emplace(context_, ListeningSocket(SocketOptions{.path = path}), dispatcher_, events_, *files_,
                    ServerOptions{});
    thread_ = std::thread([this] { context_.run(); });
  }
  ~Api() {
    boost::asio::post(context_, [this] { server_.reset(); });
    thread_.join();
  }

  UniqueFd connect() const {
    UniqueFd client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const SocketAddress address(path_);
    if (::connect(client.get(), address.get(), address.size()) != 0) std::exit(1);
    return client;
  }

 private:
  std::string path_;
  boost::asio::io_context context_;
  const std::unique_ptr<FileSystem> files_ = make_linux_file_system();
  Dispatcher dispatcher_;
  EventHub events_;
  std::optional<Server> server_;
  std::thread thread_;
};

double clock_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct Measured {
  int socket;
  const std::string& line;
  std::vector<double> batches, all;  // a round trip of each batch, and each

  void batch() {
    const double start = clock_us();
    double before = start;
    for (unsigned trip = 0; trip < kBatch; ++trip) {
      round_trip(socket, line);
      const double now = clock_us();
      all.push_back(now - before);
      before = now;
    }
    batches.push_back((before - start) / kBatch);
  }
  double p99() {
    std::sort(all.begin(), all.end());
    return all[all.size() * 99 / 100];
  }
};

void measure(unsigned runs) {
  const std::string path = "/tmp/bulkhead-api-cost." + std::to_string(::getpid());
  const Api quiet(path + ".1"), watched(path + ".2");
  const Echo echo(40), echo_status(kStatusBytes);
  std::vector<UniqueFd> watchers;
  for (unsigned count = 0; count < kWatchers; ++count) {
    watchers.push_back(watched.connect());
    round_trip(watchers.back().get(), kSubscribe);
  }
  const UniqueFd alone = quiet.connect(), among = watched.connect();
  Measured measured[]{{echo.socket.get(), kAsk, {}, {}},
                      {alone.get(), kAsk, {}, {}},
                      {echo_status.socket.get(), kAsk, {}, {}},
                      {alone.get(), kAskStatus, {}, {}},
                      {among.get(), kAsk, {}, {}}};
  for (unsigned run = 0; run < runs; ++run) {
    for (Measured& one : measured) one.batch();
  }
  bench::say("echo", bench::median(measured[0].batches));
  bench::say("call", bench::median(measured[1].batches));
  bench::say("echo_status", bench::median(measured[2].batches));
  bench::say("call_status", bench::median(measured[3].batches));
  bench::say("alone_p99", measured[1].p99());
  bench::say("watched_p99", measured[4].p99());
}

}  // namespace
}  // namespace bulkhead

int main(int count, char** words) {
  if (count != 2) {
    std::fputs("usage: api_cost RUNS\n", stderr);
    return 2;
  }
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  bulkhead::measure(bulkhead::bench::runs_from(words[1]));
  return 0;
}

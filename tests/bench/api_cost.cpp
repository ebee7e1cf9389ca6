// SPDX-License-Identifier: Apache-2.0
// "api_cost RUNS": round trips through the API beside those of an echo that does nothing else, by the clock,
// as two threads share the work: on one CPU, and on two, which is another thing where waking a CPU takes
// long. Left to itself the scheduler may choose one for the one and the other for the other. All are taken in
// turns.
#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <pthread.h>
#include <sched.h>
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

// The first CPUs that this program may use; the same twice where there is only one.
std::array<int, 2> two_cpus() {
  std::array<int, 2> cpus{-1, -1};
  cpu_set_t usable;
  ::sched_getaffinity(0, sizeof usable, &usable);
  for (int cpu = CPU_SETSIZE - 1; cpu >= 0; --cpu) {
    if (CPU_ISSET(cpu, &usable)) cpus = {cpu, cpus[0] < 0 ? cpu : cpus[0]};
  }
  return cpus;
}

void pin(pthread_t thread, int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  if (::pthread_setaffinity_np(thread, sizeof one, &one) != 0) std::exit(1);
}

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
  void pin_to(int cpu) { pin(thread_.native_handle(), cpu); }

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

  void pin_to(int cpu) { pin(thread_.native_handle(), cpu); }

  UniqueFd connect() const {
    UniqueFd client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const SocketAddress address(path_);
    if (::connect(client.get(), address.get(), address.size()) != 0) std::exit(1);
    return client;
  }

 private:
  std::string path_;
  boost::asio::io_context context_{1};
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

class Bench {
 public:
  explicit Bench(const std::string& path) : quiet_(path + ".1"), watched_(path + ".2") {
    for (unsigned count = 0; count < kWatchers; ++count) {
      watchers_.push_back(watched_.connect());
      round_trip(watchers_.back().get(), kSubscribe);
    }
  }

  // Names what it says by `where`.
  void measure(const std::string& where, int client_cpu, int server_cpu, unsigned runs) {
    pin(::pthread_self(), client_cpu);
    for (Echo* echo : {&echo_, &echo_status_}) echo->pin_to(server_cpu);
    for (Api* api : {&quiet_, &watched_}) api->pin_to(server_cpu);
    Measured measured[]{{echo_.socket.get(), kAsk, {}, {}},
                        {alone_.get(), kAsk, {}, {}},
                        {echo_status_.socket.get(), kAsk, {}, {}},
                        {alone_.get(), kAskStatus, {}, {}},
                        {among_.get(), kAsk, {}, {}}};
    for (unsigned run = 0; run < runs; ++run) {
      for (Measured& one : measured) one.batch();
    }
    const auto say = [&](const char* what, double value) { bench::say((where + what).c_str(), value); };
    say("echo", bench::median(measured[0].batches));
    say("call", bench::median(measured[1].batches));
    say("echo_status", bench::median(measured[2].batches));
    say("call_status", bench::median(measured[3].batches));
    say("alone_p99", measured[1].p99());
    say("watched_p99", measured[4].p99());
  }

 private:
  Api quiet_, watched_;
  Echo echo_{40}, echo_status_{kStatusBytes};
  std::vector<UniqueFd> watchers_;
  UniqueFd alone_ = quiet_.connect(), among_ = watched_.connect();
};

void measure(unsigned runs) {
  const auto [one, other] = two_cpus();
  Bench bench("/tmp/bulkhead-api-cost." + std::to_string(::getpid()));
  bench.measure("one_cpu_", one, one, runs);
  bench.measure("two_cpus_", one, other, runs);
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

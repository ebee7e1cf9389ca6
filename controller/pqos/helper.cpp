// SPDX-License-Identifier: Apache-2.0
#include "controller/pqos/helper.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <linux/close_range.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "controller/base/error.h"
#include "controller/pqos/helper_process.h"
#include "controller/pqos/protocol.h"
#include "controller/resctrl/schemata.h"

namespace bulkhead {
namespace {

// Between fork and exec in a process with threads: system calls only.
[[noreturn]] void become_helper(const char* program, char* const* words, int socket) {
  const int nowhere = ::open("/dev/null", O_RDWR);
  ::dup2(socket, STDIN_FILENO);
  ::dup2(nowhere, STDOUT_FILENO);
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  ::execv(program, words);
  ::_exit(127);
}

std::string ending(int status) {
  if (WIFSIGNALED(status)) {
    return "ended by signal " + std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status)) + ')';
  }
  return "ended with status " + std::to_string(WEXITSTATUS(status));
}

// Its socket has been closed. It stays to be waited for.
bool ends_by_itself(pid_t process) {
  constexpr int kPatienceMs = 5000;
  for (int waited = 0; waited < kPatienceMs; ++waited) {
    siginfo_t ended{};
    if (::waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOHANG | WNOWAIT) != 0) return false;
    if (ended.si_pid == process) return true;
    ::usleep(1000);
  }
  return false;
}

}  // namespace

PqosHelper::PqosHelper(PqosInterface interface, PqosHelperOptions options)
    : interface_(interface), options_(std::move(options)) {}

PqosHelper::~PqosHelper() {
  end();
}

void PqosHelper::end() {
  socket_ = UniqueFd();
  initialised_ = false;
  const bool counts = std::exchange(counts_, false);
  if (process_ < 0) return;
  // Without counts it has nothing to finish: each call was answered.
  if (!counts || !ends_by_itself(process_)) ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
  process_ = -1;
}

void PqosHelper::start() {
  if (process_ >= 0) return;
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    throw Error::from_errno(errno, "cannot make a socket", "");
  }
  UniqueFd ours(pair[0]);
  const UniqueFd theirs(pair[1]);
  std::string word(kPqosHelperWord);
  char* const words[] = {options_.program.data(), word.data(), nullptr};
  process_ = ::fork();
  if (process_ == 0) become_helper(options_.program.c_str(), words, theirs.get());
  if (process_ < 0) throw Error::from_errno(errno, "cannot start a process for libpqos", options_.program);
  socket_ = std::move(ours);
}

void PqosHelper::require_library() {
  start();
  ask({{"call", "load"}});
}

const PqosAbilities& PqosHelper::abilities() {
  if (initialised_) return abilities_;
  start();
  const Json answer = ask({{"call", "init"}, {"interface", to_string(interface_)}});
  abilities_ = pqos_protocol::abilities_from(answer.at("abilities"));
  initialised_ = true;
  return abilities_;
}

std::vector<PqosClass> PqosHelper::read() {
  abilities();
  return pqos_protocol::classes_from(ask({{"call", "read"}}).at("classes"));
}

void PqosHelper::write(unsigned number, const Schemata& values) {
  abilities();
  ask({{"call", "write"}, {"class", number}, {"schemata", render_schemata_change({}, values)}});
}

void PqosHelper::assign_cpus(unsigned number, const CpuSet& cpus) {
  abilities();
  ask({{"call", "assign_cpus"}, {"class", number}, {"cpus", cpus.to_list()}});
}

void PqosHelper::assign_tasks(unsigned number, const std::vector<unsigned>& tasks) {
  abilities();
  ask({{"call", "assign_tasks"}, {"class", number}, {"tasks", tasks}});
}

std::string PqosHelper::prepare_counting(const std::string& folder) {
  abilities();
  counts_ = true;
  return ask({{"call", "prepare_counting"}, {"folder", folder}}).at("lack").get<std::string>();
}

void PqosHelper::start_counting(unsigned id, const CpuSet& cpus) {
  ask({{"call", "start_counting"}, {"id", id}, {"cpus", cpus.to_list()}});
}

void PqosHelper::stop_counting(unsigned id) {
  ask({{"call", "stop_counting"}, {"id", id}});
}

std::vector<PqosCount> PqosHelper::read_counts() {
  return pqos_protocol::counts_from(ask({{"call", "read_counts"}}).at("counts"));
}

PqosHelper::Json PqosHelper::ask(const Json& request) {
  if (process_ < 0) throw Error(ErrorCode::refused, "the process that libpqos ran in has ended");
  send(request.dump() + '\n');
  const std::string line = receive();
  Json answer;
  try {
    answer = Json::parse(line);
  } catch (const nlohmann::json::exception&) {
    end();
    throw Error(ErrorCode::internal, "the process that libpqos runs in answers nonsense");
  }
  if (answer.contains("error")) throw pqos_protocol::error_from(answer.at("error"));
  return answer;
}

void PqosHelper::send(const std::string& text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t done = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("was asked");
    rest.remove_prefix(static_cast<std::size_t>(done));
  }
}

std::string PqosHelper::receive() {
  const auto until = std::chrono::steady_clock::now() + options_.patience;
  std::string text;
  while (!text.ends_with('\n')) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd waiting{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    const int ready = left.count() > 0 ? ::poll(&waiting, 1, static_cast<int>(left.count())) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      end();
      throw Error(ErrorCode::refused, "libpqos has not answered for " +
                                          std::to_string(options_.patience.count()) +
                                          " ms: the process that it ran in was ended");
    }
    char part[16384];
    const ssize_t got = ::recv(socket_.get(), part, sizeof part, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("worked");
    text.append(part, static_cast<std::size_t>(got));
  }
  return text;
}

// The other end is closed: the process has ended, or is about to.
void PqosHelper::fail(const std::string& doing) {
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
  process_ = -1;
  end();
  throw Error(ErrorCode::refused,
              "libpqos has failed: while it " + doing + ", the process that it ran in " + ending(status));
}

}  // namespace bulkhead

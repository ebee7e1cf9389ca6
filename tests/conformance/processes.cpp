// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/processes.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <pthread.h>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "controller/base/error.h"

namespace bulkhead::conformance {
namespace {

constexpr char kThread = 't';
constexpr char kFork = 'f';
constexpr useconds_t kPoll = 2000;  // µs

[[noreturn]] void sleep_for_ever() {
  for (;;) pause();
}

pid_t thread_id() {
  return static_cast<pid_t>(syscall(SYS_gettid));
}

// A thread ends when it is told to by this signal; pthread_exit must not be called in a handler.
void end_thread(int) {
  syscall(SYS_exit, 0);
}

void* live(void* answer) {
  const pid_t id = thread_id();
  if (write(*static_cast<int*>(answer), &id, sizeof id) != sizeof id) _exit(1);
  sleep_for_ever();
}

void make_thread(int answers) {
  static int to;
  to = answers;
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, live, &to) != 0) _exit(1);
}

void make_child(int answers) {
  const pid_t child = ::fork();
  if (child == 0) sleep_for_ever();  // longer than its parent
  if (write(answers, &child, sizeof child) != sizeof child) _exit(1);
}

[[noreturn]] void serve(int commands, int answers) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGCHLD, SIG_IGN);
  signal(SIGUSR1, end_thread);
  char command = 0;
  while (read(commands, &command, 1) == 1) {
    command == kThread ? make_thread(answers) : make_child(answers);
  }
  _exit(0);
}

bool exists(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

}  // namespace

Processes::Processes() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Outcome Processes::spawn() {
  int commands[2];
  int answers[2];
  if (pipe2(commands, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0) return {errno, {}};
  const pid_t child = ::fork();
  if (child < 0) return {errno, {}};
  if (child == 0) serve(commands[0], answers[1]);
  close(commands[0]);
  close(answers[1]);
  children_[child] = {commands[1], answers[0]};
  return {0, std::to_string(child)};
}

Outcome Processes::ask(unsigned process, char command) {
  const auto found = children_.find(static_cast<pid_t>(process));
  if (found == children_.end()) {
    throw Error(ErrorCode::invalid, "only processes that were spawned make threads and children");
  }
  pid_t made = 0;
  if (write(found->second.commands, &command, 1) != 1) return {errno, {}};
  if (read(found->second.answers, &made, sizeof made) != sizeof made || made <= 0) return {EIO, {}};
  command == kThread ? void(threads_[made] = found->first) : void(grandchildren_.insert(made));
  return {0, std::to_string(made)};
}

Outcome Processes::thread(unsigned of) {
  return ask(of, kThread);
}

Outcome Processes::fork(unsigned of) {
  return ask(of, kFork);
}

Outcome Processes::become_zombie(unsigned process) {
  kill(static_cast<pid_t>(process), SIGKILL);
  siginfo_t information{};
  return {waitid(P_PID, process, &information, WEXITED | WNOWAIT) == 0 ? 0 : errno, {}};
}

Outcome Processes::end(unsigned task) {
  const auto id = static_cast<pid_t>(task);
  const std::string proc = "/proc/";
  if (const auto child = children_.find(id); child != children_.end()) {
    kill(id, SIGKILL);
    waitpid(id, nullptr, 0);
    close(child->second.commands);
    close(child->second.answers);
    std::erase_if(threads_, [id](const auto& thread) { return thread.second == id; });
    children_.erase(child);
  } else if (const auto thread = threads_.find(id); thread != threads_.end()) {
    const std::string folder = proc + std::to_string(thread->second) + "/task/" + std::to_string(id);
    syscall(SYS_tgkill, thread->second, id, SIGUSR1);
    while (exists(folder)) usleep(kPoll);
    threads_.erase(thread);
  } else if (grandchildren_.erase(id) != 0) {
    kill(id, SIGKILL);
    while (exists(proc + std::to_string(id))) {
      waitpid(id, nullptr, WNOHANG);  // it is ours if its parent has ended
      usleep(kPoll);
    }
  } else {
    return {ESRCH, {}};
  }
  return {};
}

void Processes::end_all() {
  while (!grandchildren_.empty()) end(static_cast<unsigned>(*grandchildren_.begin()));
  while (!children_.empty()) end(static_cast<unsigned>(children_.begin()->first));
}

}  // namespace bulkhead::conformance

// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/sandbox.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "controller/base/error.h"

namespace bulkhead::sim {
namespace {

constexpr std::array kForwarded = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
volatile std::sig_atomic_t child_to_signal = 0;

void forward(int signal) {
  const pid_t child = child_to_signal;
  if (child > 0) ::kill(child, signal);
}

// A terminal sends its signals to the command itself: the programs around it only wait for what it makes of
// them.
void forward_signals_to(pid_t child) {
  child_to_signal = child;
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  for (const int signal : kForwarded) std::signal(signal, forward);
}

void default_signals() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGQUIT, SIG_DFL);
  for (const int signal : kForwarded) std::signal(signal, SIG_DFL);
}

int status_of(int wait_status) {
  constexpr int kSignalled = 128;
  return WIFSIGNALED(wait_status) ? kSignalled + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

pid_t fork_or_throw() {
  const pid_t child = ::fork();
  if (child < 0) throw Error::from_errno(errno, "cannot start a process", "");
  return child;
}

[[noreturn]] void be_command(char* const* words, int waiting, const std::function<void()>& prepare) {
  char go = 0;
  if (::read(waiting, &go, 1) != 1) ::_exit(1);  // the host has not come up, and has said why
  default_signals();
  try {
    prepare();
  } catch (const Error& error) {
    std::fprintf(stderr, "bulkhead-sim: %s\n", error.what());
    ::_exit(exit_status(error.code()));
  }
  ::execvp(words[0], words);
  std::fprintf(stderr, "bulkhead-sim: cannot run %s: %s\n", words[0], std::strerror(errno));
  constexpr int kNotFound = 127;
  ::_exit(kNotFound);
}

}  // namespace

int run_in_sandbox(const std::function<int()>& act) {
  const pid_t parent = ::getpid();
  // fork(2) into new namespaces. After unshare(2) this process itself would have children in the new one.
  const auto child =
      static_cast<pid_t>(::syscall(SYS_clone, CLONE_NEWNS | CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0));
  if (child < 0) {
    throw Error(ErrorDetail{.code = ErrorCode::permission,
                            .message = "cannot make namespaces: run as root (sudo bulkhead-sim ...)",
                            .error_number = errno});
  }
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent is not to be seen from in here: it has died if PID 0 is not the parent.
    if (::getppid() != 0 && ::getppid() != parent) ::_exit(1);
    ::_exit(act());
  }
  forward_signals_to(child);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status_of(status);
}

CommandInWaiting::CommandInWaiting(char* const* words, const std::function<void()>& prepare) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error::from_errno(errno, "cannot make a pipe", "");
  const UniqueFd waiting(ends[0]);
  start_ = UniqueFd(ends[1]);
  process_ = fork_or_throw();
  if (process_ == 0) {
    start_ = UniqueFd();
    be_command(words, waiting.get(), prepare);
  }
}

int CommandInWaiting::run() const {
  forward_signals_to(process_);
  if (::write(start_.get(), "", 1) != 1) throw Error::from_errno(errno, "cannot start the command", "");
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, 0);
    if (ended == process_) return status_of(status);
    if (ended < 0 && errno != EINTR) return 1;
  }
}

}  // namespace bulkhead::sim

// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/sandbox.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

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

// The space that a descriptor takes as a message beside the bytes.
union Passage {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

bool send_descriptor(int channel, int descriptor) {
  Passage passage{};
  passage.header = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
  std::memcpy(CMSG_DATA(&passage.header), &descriptor, sizeof descriptor);
  char byte = 0;
  iovec part{.iov_base = &byte, .iov_len = 1};
  const msghdr message{
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &passage, .msg_controllen = sizeof passage.bytes};
  return ::sendmsg(channel, &message, 0) == 1;
}

// None where the other end has gone.
UniqueFd receive_descriptor(int channel) {
  Passage passage{};
  char byte = 0;
  iovec part{.iov_base = &byte, .iov_len = 1};
  msghdr message{
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &passage, .msg_controllen = sizeof passage.bytes};
  ssize_t length = 0;
  do {
    length = ::recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
  } while (length < 0 && errno == EINTR);
  if (length != 1 || CMSG_FIRSTHDR(&message) == nullptr) return UniqueFd();
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
  return UniqueFd(descriptor);
}

[[noreturn]] void be_command(char* const* words, int channel, const std::function<UniqueFd()>& prepare) {
  char go = 0;
  if (::read(channel, &go, 1) != 1) ::_exit(1);  // the host has not come up, and has said why
  default_signals();
  try {
    const UniqueFd prepared = prepare();
    if (!send_descriptor(channel, prepared.get())) ::_exit(1);
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

CommandInWaiting::CommandInWaiting(char* const* words, const std::function<UniqueFd()>& prepare) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error::from_errno(errno, "cannot make a pair of sockets", "");
  const UniqueFd of_command(ends[0]);
  channel_ = UniqueFd(ends[1]);
  process_ = fork_or_throw();
  if (process_ == 0) {
    channel_ = UniqueFd();
    be_command(words, of_command.get(), prepare);
  }
}

int CommandInWaiting::run(const std::function<void(UniqueFd)>& prepared,
                          const std::function<void(pid_t)>& ended) const {
  forward_signals_to(process_);
  if (::write(channel_.get(), "", 1) != 1) throw Error::from_errno(errno, "cannot start the command", "");
  if (UniqueFd descriptor = receive_descriptor(channel_.get())) prepared(std::move(descriptor));
  for (;;) {
    int status = 0;
    const pid_t child = ::waitpid(-1, &status, 0);
    if (child == process_) return status_of(status);
    if (child < 0 && errno != EINTR) return 1;
    if (child > 0) ended(child);
  }
}

}  // namespace bulkhead::sim

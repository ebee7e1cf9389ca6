// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/placeholders.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "controller/base/error.h"
#include "controller/base/unique_fd.h"

namespace bulkhead::sim {
namespace {

constexpr std::size_t kStack = 64 << 10;  // little is done on it: pause(2) for ever

void* sleep_for_ever(void*) {
  for (;;) ::pause();
}

bool start_threads(unsigned count) {
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kStack);
  for (unsigned started = 1; started < count; ++started) {  // the first one is the process itself
    pthread_t thread{};
    if (::pthread_create(&thread, &attributes, sleep_for_ever, nullptr) != 0) return false;
  }
  return true;
}

[[noreturn]] void be_placeholder(const std::string& name, unsigned threads, int ready) {
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  ::prctl(PR_SET_NAME, name.c_str());
  const char answer = start_threads(threads) ? '+' : '-';
  const bool told = ::write(ready, &answer, 1) == 1;
  ::close(ready);
  if (answer != '+' || !told) ::_exit(1);
  sleep_for_ever(nullptr);
  ::_exit(0);
}

}  // namespace

int start_placeholder(const std::string& name, unsigned threads) {
  int ends[2];
  if (::pipe(ends) != 0) throw Error::from_errno(errno, "cannot make a pipe", "");
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) throw Error::from_errno(errno, "cannot start a process for " + name, "");
  if (child == 0) be_placeholder(name, threads, writing.get());
  writing = UniqueFd();
  char answer = '-';
  if (::read(reading.get(), &answer, 1) != 1 || answer != '+') {
    throw Error(ErrorCode::refused,
                "cannot start " + std::to_string(threads) + " threads for " + name + ": see ulimit -u");
  }
  return child;
}

}  // namespace bulkhead::sim

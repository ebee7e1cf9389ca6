// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/held_signals.h"

#include <array>
#include <string>

#include "controller/base/error.h"

namespace bulkhead {
namespace {

struct HeldSignal {
  int number;
  const char* name;
  bool ends;  // asks the program to end; the others only stop it
};

constexpr std::array kHeld{HeldSignal{SIGINT, "SIGINT", true}, HeldSignal{SIGTERM, "SIGTERM", true},
                           HeldSignal{SIGHUP, "SIGHUP", true}, HeldSignal{SIGQUIT, "SIGQUIT", true},
                           HeldSignal{SIGTSTP, "SIGTSTP", false}};

// Under nohup SIGHUP means nothing; while it is held it waits all the same.
bool is_ignored(int number) {
  struct sigaction action {};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

HeldSignals::HeldSignals() {
  sigset_t held;
  sigemptyset(&held);
  for (const HeldSignal& signal : kHeld) sigaddset(&held, signal.number);
  // For the whole process: it has one thread at this point, and later ones inherit.
  pthread_sigmask(SIG_BLOCK, &held, &before_);
}

HeldSignals::~HeldSignals() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

const char* HeldSignals::waiting_end() {
  sigset_t waiting;
  sigemptyset(&waiting);
  sigpending(&waiting);
  for (const HeldSignal& signal : kHeld) {
    if (signal.ends && sigismember(&waiting, signal.number) == 1 && !is_ignored(signal.number))
      return signal.name;
  }
  return nullptr;
}

bool HeldSignals::is_asked_to_end() {
  return waiting_end() != nullptr;
}

void HeldSignals::check() {
  if (const char* signal = waiting_end()) {
    throw Error(ErrorCode::conflict, std::string("interrupted by ") + signal);
  }
}

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// While it lives, signals that would end or stop the program wait: a transaction is finished or undone first.
#pragma once

#include <csignal>

namespace bulkhead {

class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();  // a signal that came meanwhile has its usual effect now
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  // Throws Error(conflict) if a signal waits that asks the program to end.
  static void check();
  // Whether one does.
  static bool is_asked_to_end();

 private:
  static const char* waiting_end();  // its name; null for none

  sigset_t before_{};
};

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/held_signals.h"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>

#include "controller/base/error.h"

namespace bulkhead {
namespace {

// As a transaction does: what the step after the signal says is told, then the signal has its effect.
void run_interrupted(int signal) {
  const HeldSignals held;
  ::raise(signal);
  try {
    HeldSignals::check();
    std::fputs("not interrupted", stderr);
  } catch (const Error& error) {
    std::fputs(error.what(), stderr);
  }
}

TEST(HeldSignals, let_a_transaction_be_undone_before_they_end_the_program) {
  EXPECT_EXIT(run_interrupted(SIGTERM), ::testing::KilledBySignal(SIGTERM), "^interrupted by SIGTERM$");
  EXPECT_EXIT(run_interrupted(SIGINT), ::testing::KilledBySignal(SIGINT), "^interrupted by SIGINT$");
  EXPECT_EXIT(run_interrupted(SIGHUP), ::testing::KilledBySignal(SIGHUP), "^interrupted by SIGHUP$");
}

TEST(HeldSignals, interrupt_nothing_where_they_are_ignored) {
  const auto run = [] {
    std::signal(SIGHUP, SIG_IGN);  // as under nohup
    run_interrupted(SIGHUP);
    std::exit(0);
  };
  EXPECT_EXIT(run(), ::testing::ExitedWithCode(0), "^not interrupted$");
}

TEST(HeldSignals, are_delivered_at_once_when_none_is_held) {
  const auto run = [] {
    { const HeldSignals held; }
    ::raise(SIGTERM);
  };
  EXPECT_EXIT(run(), ::testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace bulkhead

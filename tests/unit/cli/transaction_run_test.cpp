// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/transaction_run.h"

#include <csignal>

#include "controller/base/error.h"
#include "tests/unit/cli/stream_stand_in.h"

namespace bulkhead {
namespace {

template <class Act>
std::string refusal(Act&& act) {
  try {
    act();
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
  }
  return "accepted";
}

TEST(TransactionRun, does_not_begin_where_what_is_to_be_seen_first_cannot_be_shown) {
  const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  Console console;
  console.out = "the plan\n";
  Call call{.verb = *find_verb("apply"), .console = console};
  const StreamStandIn standard_output(STDOUT_FILENO, full.get());
  EXPECT_EQ(
      refusal([&] { show_before_change(call); }),
      "refused: nothing was changed: the output could not be written (standard output: No space left on "
      "device)");
}

TEST(TransactionRun, asks_after_showing_what_it_is_about) {
  const Terminal terminal;
  ASSERT_EQ(::write(terminal.person.get(), "yes\n", 4), 4);
  Console console;
  console.out = "the plan\n";
  Call call{.verb = *find_verb("apply"), .console = console};
  bool yes = false;
  {
    const StreamStandIn input(STDIN_FILENO, terminal.program.get());
    const StreamStandIn output(STDOUT_FILENO, terminal.program.get());
    const StreamStandIn errors(STDERR_FILENO, terminal.program.get());
    require_consent_possible(call);
    yes = consents(call, "Apply?");
  }
  EXPECT_TRUE(yes);
  EXPECT_EQ(read_soon(terminal.person.get()), "the plan\nApply? [y/N] ");
}

TEST(TransactionRun, does_not_ask_with_yes) {
  const Terminal terminal;
  Console console;
  Call call{.verb = *find_verb("reset"), .options = {.yes = true}, .console = console};
  const StreamStandIn input(STDIN_FILENO, terminal.program.get());
  const StreamStandIn errors(STDERR_FILENO, terminal.program.get());
  EXPECT_TRUE(consents(call, "Reset?"));
  EXPECT_EQ(read_available(terminal.person.get()), "");
}

TEST(TransactionRun, is_refused_where_nobody_can_be_asked) {
  const UniqueFd nobody(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const StreamStandIn input(STDIN_FILENO, nobody.get());
  Console console;
  Call call{.verb = *find_verb("apply"), .console = console};
  EXPECT_EQ(refusal([&] { require_consent_possible(call); }),
            "usage: apply asks before it changes anything, but standard input is no terminal: pass --yes");
  call.options.json = true;
  EXPECT_EQ(refusal([&] { require_consent_possible(call); }),
            "usage: apply --json does not ask: pass --yes as well");
  call.options.yes = true;
  EXPECT_EQ(refusal([&] { require_consent_possible(call); }), "accepted");
}

TEST(TransactionRun, fails_at_the_step_after_a_signal) {
  const auto interrupted = [] {
    Console console;
    console.hold_signals();
    std::size_t done = 0;
    const std::string error = refusal([&] {
      run_transaction("applying p", [&](const Progress& progress) {
        const Step step{.kind = StepKind::make_group, .target = "bulkhead.web"};
        for (std::size_t number = 1; number <= 3; ++number) {
          progress(number, 3, step);
          ++done;
          if (number == 2) ::raise(SIGTERM);
        }
        return Outcome{};
      });
    });
    console.notice(std::to_string(done) + " done, " + error);
  };
  EXPECT_EXIT(interrupted(), ::testing::KilledBySignal(SIGTERM),
              "^bulkhead: 2 done, conflict: interrupted by SIGTERM\n$");
}

TEST(TransactionRun, has_a_line_for_each_note) {
  EXPECT_EQ(notes_text({}, {}), "");
  EXPECT_EQ(notes_text({"one", "two words that wrap"}, {.width = 20}),
            "note: one\nnote: two words that\n      wrap\n");
}

}  // namespace
}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/progress_line.h"

#include <cstdlib>
#include <functional>

#include "tests/unit/cli/stream_stand_in.h"

namespace bulkhead {
namespace {

using std::chrono::milliseconds;

constexpr ProgressPace kQuick{.patience = milliseconds(1), .rewrite = milliseconds(1)};
constexpr ProgressPace kNever{.patience = std::chrono::hours(1), .rewrite = std::chrono::hours(1)};

TEST(ProgressLine, says_nothing_about_what_is_done_at_once) {
  const Terminal terminal;
  {
    const StreamStandIn standard_error(STDERR_FILENO, terminal.program.get());
    ProgressLine line("applying p", kNever);
    line.show("applying p: step 1 of 2");
  }
  EXPECT_EQ(read_available(terminal.person.get()), "");
}

TEST(ProgressLine, rewrites_its_line_on_a_terminal_and_takes_it_away) {
  const Terminal terminal;
  const StreamStandIn standard_error(STDERR_FILENO, terminal.program.get());
  {
    ProgressLine line("applying p", kQuick);
    EXPECT_EQ(read_soon(terminal.person.get()), "\r\x1b[Kapplying p");
    line.show("applying p: step 1 of 2");
    EXPECT_EQ(read_soon(terminal.person.get()), "\r\x1b[Kapplying p: step 1 of 2");
    EXPECT_EQ(read_available(terminal.person.get()), "");  // what is there already is not written again
  }
  EXPECT_EQ(read_soon(terminal.person.get()), "\r\x1b[K");
}

TEST(ProgressLine, never_is_wider_than_the_terminal_lest_it_wraps) {
  ::unsetenv("COLUMNS");
  const Terminal terminal(24);
  const StreamStandIn standard_error(STDERR_FILENO, terminal.program.get());
  const ProgressLine line("step 1 of 2, \u00fcberlange.slice/\u00fcberlanger.service", kQuick);
  EXPECT_EQ(read_soon(terminal.person.get()), "\r\x1b[Kstep 1 of 2,");
}

TEST(ProgressLine, cuts_between_characters_and_spells_out_what_steers) {
  ::unsetenv("COLUMNS");
  const Terminal terminal(21);
  const StreamStandIn standard_error(STDERR_FILENO, terminal.program.get());
  const ProgressLine line(
      "\x1b[2J\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc", kQuick);
  EXPECT_EQ(read_soon(terminal.person.get()),
            "\r\x1b[K\\u001b[2J\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc");
}

TEST(ProgressLine, writes_lines_that_stay_where_there_is_no_terminal) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd read(ends[0]), write(ends[1]);
  const StreamStandIn standard_error(STDERR_FILENO, write.get());
  {
    ProgressLine line("applying p", kQuick);
    EXPECT_EQ(read_soon(read.get()), "bulkhead: applying p\n");
    line.show("applying p: step 1 of 2");
    EXPECT_EQ(read_soon(read.get()), "bulkhead: applying p: step 1 of 2\n");
  }
  EXPECT_EQ(read_available(read.get()), "");
}

}  // namespace
}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/console.h"

#include <csignal>
#include <cstdlib>
#include <thread>

#include "controller/base/error.h"
#include "tests/unit/cli/stream_stand_in.h"

namespace bulkhead {
namespace {

struct Pipe {
  UniqueFd read, write;

  Pipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    read = UniqueFd(ends[0]);
    write = UniqueFd(ends[1]);
  }
};

// What standard error is told and the exit status, where the output goes to `sink`.
struct Ending {
  std::string told;
  int status = 0;
};

Ending finish_into(int sink, const std::string& happened) {
  const Pipe errors;
  Ending ending;
  {
    const StreamStandIn standard_error(STDERR_FILENO, errors.write.get());
    const StreamStandIn standard_output(STDOUT_FILENO, sink);
    Console console;
    console.out = "the report\n";
    console.happened = happened;
    ending.status = console.finish(4);
  }
  ending.told = read_available(errors.read.get());
  return ending;
}

TEST(Console, keeps_the_status_where_the_output_is_written) {
  const Pipe output;
  const Ending ending = finish_into(output.write.get(), "p is in force");
  EXPECT_EQ(ending.told, "");
  EXPECT_EQ(ending.status, 4);
  EXPECT_EQ(read_available(output.read.get()), "the report\n");
}

TEST(Console, says_what_happened_where_the_output_cannot_be_written) {
  const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  Ending ending = finish_into(full.get(), "p is in force");
  EXPECT_EQ(ending.told,
            "bulkhead: p is in force, but the output could not be written (standard output: No space left on "
            "device)\n");
  EXPECT_EQ(ending.status, 1);
  ending = finish_into(full.get(), "");
  EXPECT_EQ(ending.told,
            "bulkhead: the output could not be written (standard output: No space left on device)\n");
  EXPECT_EQ(ending.status, 1);
}

TEST(Console, keeps_quiet_where_a_reader_went_away_unless_the_host_was_changed) {
  std::signal(SIGPIPE, SIG_IGN);
  Pipe output;
  output.read = UniqueFd();
  EXPECT_EQ(finish_into(output.write.get(), "").told, "");
  EXPECT_EQ(finish_into(output.write.get(), "the host is as before the first apply").told,
            "bulkhead: the host is as before the first apply, but the output could not be written (standard "
            "output: Broken pipe)\n");
  std::signal(SIGPIPE, SIG_DFL);
}

TEST(Console, waits_for_a_slow_reader_of_a_pipe_that_does_not_block) {
  const Pipe output;
  ASSERT_EQ(::fcntl(output.write.get(), F_SETFL, O_NONBLOCK), 0);
  const std::string much(300'000, 'x');  // more than a pipe holds
  std::string got;
  std::thread reader([&] {
    while (got.size() < much.size()) {
      const std::string more = read_available(output.read.get());
      got += more;
    }
  });
  {
    const StreamStandIn standard_output(STDOUT_FILENO, output.write.get());
    Console console;
    console.out = much;
    EXPECT_EQ(console.finish(0), 0);
  }
  reader.join();
  EXPECT_EQ(got, much);
}

TEST(Console, spells_out_what_would_steer_the_terminal) {
  const Pipe errors;
  {
    const StreamStandIn standard_error(STDERR_FILENO, errors.write.get());
    Console().notice("cannot open (a\x1b]0;owned\x07\u202e: No such file)");
  }
  EXPECT_EQ(read_available(errors.read.get()),
            "bulkhead: cannot open (a\\u001b]0;owned\\u0007\\u202e: No such file)\n");
}

struct Answer {
  std::string shown;
  bool yes = false;
};

Answer answer(const std::string& typed) {
  const Terminal terminal;
  const Pipe errors;
  Answer answer;
  EXPECT_EQ(::write(terminal.person.get(), typed.data(), typed.size()), static_cast<ssize_t>(typed.size()));
  {
    const StreamStandIn input(STDIN_FILENO, terminal.program.get());
    const StreamStandIn standard_error(STDERR_FILENO, errors.write.get());
    EXPECT_TRUE(Console().can_ask());
    answer.yes = Console().ask("Apply?");
  }
  answer.shown = read_available(errors.read.get());
  return answer;
}

TEST(Console, takes_only_yes_for_yes) {
  for (const char* typed : {"y\n", "Y\n", "yes\n", "  yes  \n"}) EXPECT_TRUE(answer(typed).yes) << typed;
  constexpr const char* kEndOfFile = "\x04";
  for (const char* typed : {"n\n", "\n", "no\n", "yess\n", "y y\n", "YES!\n", kEndOfFile}) {
    EXPECT_FALSE(answer(typed).yes) << typed;
  }
}

TEST(Console, asks_on_standard_error_with_no_as_the_answer_of_nobody) {
  EXPECT_EQ(answer("y\n").shown, "Apply? [y/N] ");
}

TEST(Console, ends_the_line_of_a_question_that_nobody_answered) {
  EXPECT_EQ(answer("\x04").shown, "Apply? [y/N] \n");
}

TEST(Console, does_not_ask_where_nobody_sits) {
  const Pipe input;
  const StreamStandIn standard_input(STDIN_FILENO, input.read.get());
  EXPECT_FALSE(Console().can_ask());
}

TEST(Console, has_the_width_of_the_terminal_and_100_without_one) {
  ::unsetenv("COLUMNS");
  const auto width_at = [](int stream) {
    const StreamStandIn output(STDOUT_FILENO, stream);
    return Console().style(ColorChoice::never).width;
  };
  EXPECT_EQ(width_at(Terminal(80).program.get()), 80U);
  EXPECT_EQ(width_at(Terminal(40).program.get()), 40U);
  EXPECT_EQ(width_at(Terminal(5).program.get()), 20U);
  EXPECT_EQ(width_at(Terminal(500).program.get()), 160U);
  EXPECT_EQ(width_at(Terminal(0).program.get()), 100U);
  EXPECT_EQ(width_at(Pipe().write.get()), 100U);
  ::setenv("COLUMNS", "72", 1);
  EXPECT_EQ(width_at(Terminal(40).program.get()), 72U);
  EXPECT_EQ(width_at(Pipe().write.get()), 72U);
  for (const char* senseless : {"", "0", "-1", "wide"}) {
    ::setenv("COLUMNS", senseless, 1);
    EXPECT_EQ(width_at(Terminal(40).program.get()), 40U) << senseless;
  }
  ::unsetenv("COLUMNS");
}

}  // namespace
}  // namespace bulkhead

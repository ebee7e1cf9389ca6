// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/console.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/cli/terminal.h"
#include "policies/quote.h"

namespace bulkhead {
namespace {

constexpr std::size_t kLongestAnswer = 1000;

// The first of these that is set decides, as in setlocale(3), which itself would cost a millisecond.
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (const std::string_view value = environment(name); !value.empty()) return names_utf8(value);
  }
  return false;
}

// Whoever shares the pipe or terminal may have made it non-blocking, for all of us.
void wait_for_room(int descriptor) {
  pollfd room{.fd = descriptor, .events = POLLOUT, .revents = 0};
  ::poll(&room, 1, -1);
}

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(descriptor, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && errno == EAGAIN) {
      wait_for_room(descriptor);
      continue;
    }
    if (done < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

}  // namespace

bool names_utf8(std::string_view locale) {
  std::string lower(locale);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return lower.find("utf-8") != std::string::npos || lower.find("utf8") != std::string::npos;
}

Style Console::style(ColorChoice choice) const {
  Style style{.unicode = locale_is_utf8()};
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  const bool wanted = environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  style.color = choice == ColorChoice::always || (choice == ColorChoice::automatic && terminal && wanted);
  style.width = columns_of(STDOUT_FILENO);
  return style;
}

void Console::flush() {
  const std::string text = std::exchange(out, {});
  if (const int failed = write_all(STDOUT_FILENO, text); failed != 0) {
    throw Error::from_errno(failed, "the output could not be written", "standard output");
  }
}

int Console::finish(int status) {
  try {
    flush();
    return status;
  } catch (const Error& error) {
    if (!happened.empty()) {
      notice(happened + ", but " + error.what());
    } else if (error.detail().error_number != EPIPE) {
      // A reader that has seen enough and went away wants to hear nothing more.
      notice(error.what());
    }
    return exit_status(ErrorCode::refused);
  }
}

void Console::notice(std::string_view text) const {
  diagnostics("bulkhead: " + printable(text) + '\n');
}

void Console::diagnostics(std::string_view lines) const {
  // Where standard error is closed there is nobody left to tell.
  static_cast<void>(write_all(STDERR_FILENO, lines));
}

bool Console::can_ask() const {
  return ::isatty(STDIN_FILENO) == 1;
}

bool Console::ask(std::string_view question) const {
  diagnostics(std::string(question) + " [y/N] ");
  std::string answer;
  char letter = 0;
  while (answer.size() < kLongestAnswer && ::read(STDIN_FILENO, &letter, 1) == 1 && letter != '\n')
    answer += letter;
  if (letter != '\n') diagnostics("\n");  // the end of the input ends no line on the screen
  const std::string_view word = trim(answer);
  return word == "y" || word == "Y" || word == "yes";
}

}  // namespace bulkhead

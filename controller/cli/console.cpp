// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/console.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

#include "controller/base/error.h"
#include "controller/base/text.h"

namespace bulkhead {
namespace {

constexpr std::size_t kNarrowest = 60;
constexpr std::size_t kWidest = 160;
constexpr std::size_t kLongestAnswer = 1000;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

// The first of these that is set decides, as in setlocale(3), which itself would cost a millisecond.
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (const std::string_view value = environment(name); !value.empty()) return names_utf8(value);
  }
  return false;
}

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(descriptor, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
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
  winsize size{};
  if (terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
    style.width = std::clamp<std::size_t>(size.ws_col, kNarrowest, kWidest);
  }
  return style;
}

void Console::flush() {
  const std::string text = std::exchange(out, {});
  if (const int failed = write_all(STDOUT_FILENO, text); failed != 0) {
    throw Error::from_errno(failed, "cannot write the output", "standard output");
  }
}

void Console::notice(std::string_view text) const {
  diagnostics("bulkhead: " + std::string(text) + '\n');
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
  const std::string_view word = trim(answer);
  return word == "y" || word == "Y" || word == "yes";
}

}  // namespace bulkhead

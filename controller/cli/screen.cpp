// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/screen.h"

#include <unistd.h>

#include "controller/cli/terminal.h"

namespace bulkhead {
namespace {

// What is wider than the terminal is cut: wrapped, it would take more rows than were counted.
constexpr std::string_view kTake = "\x1b[?1049h\x1b[?25l\x1b[?7l";
constexpr std::string_view kGiveBack = "\x1b[?7h\x1b[?25h\x1b[?1049l";
constexpr std::string_view kHome = "\x1b[H";
constexpr std::string_view kClearLine = "\x1b[K";
constexpr std::string_view kClearRest = "\x1b[J";

// Each line cleared behind its end, so that nothing flickers.
std::string fitted(const std::string& text, std::size_t rows) {
  std::string out(kHome);
  std::size_t begin = 0;
  for (std::size_t row = 1; begin < text.size(); ++row) {
    const std::size_t end = text.find('\n', begin);
    if (row == rows && end != std::string::npos && end + 1 < text.size()) {
      out += "... more than this terminal can show";
      out += kClearLine;
      break;
    }
    out.append(text, begin, end - begin);
    out += kClearLine;
    if (end == std::string::npos) break;
    begin = end + 1;
    if (begin < text.size()) out += '\n';
  }
  return out.append(kClearRest);
}

}  // namespace

Screen::Screen(Console& console, bool whole) : console_(console), whole_(whole) {
  if (whole_) console_.out += kTake;
}

Screen::~Screen() {
  // What comes after it is written with it.
  if (whole_) console_.out += kGiveBack;
}

void Screen::draw(const std::string& text) {
  console_.out += whole_ ? fitted(text, rows_of(STDOUT_FILENO)) : (first_ ? "" : "\n") + text;
  first_ = false;
  console_.flush();
}

}  // namespace bulkhead

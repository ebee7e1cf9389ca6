// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/progress_line.h"

#include <unistd.h>
#include <utility>

#include "controller/cli/style.h"
#include "controller/cli/terminal.h"
#include "policies/quote.h"

namespace bulkhead {
namespace {

void write_error(const std::string& text) {
  // Progress is a courtesy: where it cannot be told the work goes on.
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

// A line that is too long would wrap, and what is wrapped cannot be rewritten.
std::string in_one_line(const std::string& text) {
  const std::string lines = wrapped(text, columns_of(STDERR_FILENO) - 1, "");
  return lines.substr(0, lines.find('\n'));
}

}  // namespace

ProgressLine::ProgressLine(std::string doing, ProgressPace pace)
    : text_(std::move(doing)),
      pace_(pace),
      terminal_(::isatty(STDERR_FILENO) == 1),
      writer_([this] { run(); }) {}

ProgressLine::~ProgressLine() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  writer_.join();
  if (shown_ && terminal_) write_error("\r\x1b[K");
}

void ProgressLine::show(std::string text) {
  const std::lock_guard lock(mutex_);
  text_ = std::move(text);
}

void ProgressLine::run() {
  std::unique_lock lock(mutex_);
  std::string last;
  auto wait = pace_.patience;
  while (!changed_.wait_for(lock, wait, [this] { return ended_; })) {
    if (text_ != last) write_line(text_);
    last = text_;
    wait = terminal_ ? pace_.rewrite : pace_.patience;
  }
}

void ProgressLine::write_line(const std::string& text) {
  shown_ = true;
  write_error(terminal_ ? "\r\x1b[K" + in_one_line(text) : "bulkhead: " + printable(text) + '\n');
}

}  // namespace bulkhead

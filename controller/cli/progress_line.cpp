// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/progress_line.h"

#include <chrono>
#include <unistd.h>
#include <utility>

namespace bulkhead {
namespace {

constexpr std::chrono::milliseconds kPatience{1000};
constexpr std::chrono::milliseconds kRewrite{200};
constexpr std::size_t kWidestLine = 79;  // a longer one would wrap, and what is wrapped cannot be rewritten

void write_error(const std::string& text) {
  // Progress is a courtesy: where it cannot be told the work goes on.
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

}  // namespace

ProgressLine::ProgressLine(std::string doing)
    : text_(std::move(doing)), terminal_(::isatty(STDERR_FILENO) == 1), writer_([this] { run(); }) {}

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
  auto wait = kPatience;
  while (!changed_.wait_for(lock, wait, [this] { return ended_; })) {
    if (text_ != last) write_line(text_);
    last = text_;
    wait = terminal_ ? kRewrite : kPatience;
  }
}

void ProgressLine::write_line(const std::string& text) {
  shown_ = true;
  write_error(terminal_ ? "\r\x1b[K" + text.substr(0, kWidestLine) : "bulkhead: " + text + '\n');
}

}  // namespace bulkhead

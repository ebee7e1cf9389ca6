// SPDX-License-Identifier: Apache-2.0
// Tells on standard error what a transaction is doing, once it has taken longer than a second: on a terminal
// a line that is rewritten, else a line a second.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

namespace bulkhead {

struct ProgressPace {
  std::chrono::milliseconds patience{1000};  // before the first line, and between lines that stay
  std::chrono::milliseconds rewrite{200};
};

class ProgressLine {
 public:
  explicit ProgressLine(std::string doing, ProgressPace pace = {});
  ~ProgressLine();  // the line vanishes from a terminal
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::string text);

 private:
  void run();
  void write_line(const std::string& text);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  bool ended_ = false;
  bool shown_ = false;
  const ProgressPace pace_;
  const bool terminal_;
  std::thread writer_;  // of its own, since one step alone may take seconds
};

}  // namespace bulkhead

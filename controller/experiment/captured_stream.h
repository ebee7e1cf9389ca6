// SPDX-License-Identifier: Apache-2.0
// What a program writes to one of its outputs, read as it comes and kept up to a bound. A program that writes
// without end, and faster than it is read, costs neither memory nor time without end.
#pragma once

#include <cstddef>
#include <string>

#include "controller/base/unique_fd.h"

namespace bulkhead {

class CapturedStream {
 public:
  enum class Keep { beginning, end };

  // Throws Error where there are no more descriptors.
  CapturedStream(std::size_t most, Keep keep);

  // The end for the program. It is closed here once that has started, or else its end is never seen.
  int child_end() const { return child_end_.get(); }
  void close_child_end() { child_end_ = {}; }

  // What is there by now.
  void drain();

  // At most `most` bytes: the first ones, or about the last.
  const std::string& text() const { return text_; }
  std::string take_text() { return std::move(text_); }
  bool overflowed() const { return overflowed_; }

 private:
  bool read_some();

  std::size_t most_;
  Keep keep_;
  UniqueFd our_end_, child_end_;
  std::string text_;
  bool overflowed_ = false;
};

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// Bytes as they come from a client, taken out by lines.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace bulkhead {

class LineBuffer {
 public:
  explicit LineBuffer(std::size_t longest) : longest_(longest) {}

  void append(std::string_view bytes) { bytes_ += bytes; }

  // The next whole line, without its newline; with `ended` also one that has none. It is valid until
  // discard_taken.
  std::optional<std::string_view> next_line(bool ended);

  // Frees what was taken. Memory of long messages is given back.
  void discard_taken();
  void clear();

  // Whether the next line, whole or not, is longer than may be.
  bool too_long();
  bool has_line();
  std::size_t bytes() const { return bytes_.size() - taken_; }

 private:
  // Of the next newline, or npos. What was looked at is not looked at again.
  std::size_t find_newline();

  std::size_t longest_;
  std::string bytes_;
  std::size_t taken_ = 0;
  std::size_t searched_ = 0;  // there is no newline from taken_ up to here
};

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/api/line_buffer.h"

#include <algorithm>

namespace bulkhead {

std::size_t LineBuffer::find_newline() {
  const std::size_t found = bytes_.find('\n', std::max(searched_, taken_));
  searched_ = found == std::string::npos ? bytes_.size() : found;
  return found;
}

std::optional<std::string_view> LineBuffer::next_line(bool ended) {
  const std::size_t newline = find_newline();
  if (newline == std::string::npos && (!ended || bytes() == 0)) return std::nullopt;
  const std::size_t end = std::min(newline, bytes_.size());
  const std::string_view line = std::string_view(bytes_).substr(taken_, end - taken_);
  taken_ = std::min(end + 1, bytes_.size());
  return line;
}

void LineBuffer::discard_taken() {
  constexpr std::size_t kKept = 4096;
  if (taken_ == 0) return;
  searched_ = std::max(searched_, taken_) - taken_;
  bytes_.erase(0, taken_);
  taken_ = 0;
  if (bytes_.capacity() > kKept && bytes_.size() < kKept / 2) bytes_.shrink_to_fit();
}

void LineBuffer::clear() {
  *this = LineBuffer(longest_);
}

bool LineBuffer::too_long() {
  const std::size_t newline = find_newline();
  return std::min(newline, bytes_.size()) - taken_ > longest_;
}

bool LineBuffer::has_line() {
  return find_newline() != std::string::npos;
}

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// info/last_cmd_status: what the kernel says about the last command, or several.
#pragma once

#include <string>

namespace bulkhead::sim {

class LastCommandStatus {
 public:
  explicit LastCommandStatus(bool marks_overflow) : marks_overflow_(marks_overflow) {}

  void clear() {
    text_.clear();
    overflowed_ = false;
  }
  // Of a message that alone is too long the beginning stays; another that does not fit is lost, with all
  // after it.
  void add(const std::string& message) {
    if (overflowed_) return;
    overflowed_ = text_.size() + message.size() + 1 > kRoom;
    if (!overflowed_) {
      text_ += message + '\n';
    } else if (message.size() > kRoom) {
      text_ += message.substr(0, kRoom - text_.size());
    }
  }
  std::string text() const {
    if (text_.empty() && !overflowed_) return "ok\n";
    return overflowed_ && marks_overflow_ ? text_ + "[truncated]\n" : text_;
  }

 private:
  static constexpr std::size_t kRoom = 511;  // bytes
  bool marks_overflow_;
  bool overflowed_ = false;
  std::string text_;
};

}  // namespace bulkhead::sim

// SPDX-License-Identifier: Apache-2.0
// info/last_cmd_status: what the kernel says about the last command, or several.
#pragma once

#include <string>

namespace bulkhead::sim {

class LastCommandStatus {
 public:
  void clear() { text_.clear(); }
  void add(const std::string& message) {
    if (text_.size() + message.size() + 1 < kRoom) text_ += message + '\n';
  }
  std::string text() const { return text_.empty() ? "ok\n" : text_; }

 private:
  static constexpr std::size_t kRoom = 512;  // bytes; what does not fit is lost
  std::string text_;
};

}  // namespace bulkhead::sim

// SPDX-License-Identifier: Apache-2.0
// The answers to one message, until all of them are there.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace bulkhead {

class PendingMessage {
 public:
  PendingMessage(bool batch, std::size_t items) : batch_(batch), open_(items), answers_(items) {}

  // `answer` is empty for a notification. Returns whether it was the last.
  bool settle(std::size_t item, std::string answer) {
    answers_[item] = std::move(answer);
    return --open_ == 0;
  }

  std::size_t items() const { return answers_.size(); }

  // What to send: nothing if nobody wants an answer.
  std::string take_text() {
    if (!batch_) return std::move(answers_.front());
    std::string text;
    for (const std::string& answer : answers_) {
      if (!answer.empty()) text += (text.empty() ? '[' : ',') + answer;
    }
    return text.empty() ? text : text + ']';
  }

 private:
  bool batch_;
  std::size_t open_;
  std::vector<std::string> answers_;
};

}  // namespace bulkhead

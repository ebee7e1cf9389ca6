// SPDX-License-Identifier: Apache-2.0
// What a client is still to be sent.
#pragma once

#include <cstddef>
#include <string>
#include <sys/uio.h>
#include <vector>

#include "controller/api/event_queue.h"

namespace bulkhead {

class OutputQueue {
 public:
  static constexpr std::size_t kMostPieces = 64;

  void push(std::string text) { push({std::move(text), nullptr}); }
  void push(EventQueue::Notification notification);

  bool empty() const { return first_ == items_.size(); }
  std::size_t bytes() const { return bytes_; }

  // The next pieces, of at most kMostPieces.
  std::vector<iovec> pieces() const;

  // So many bytes were sent.
  void sent(std::size_t bytes);

 private:
  std::vector<EventQueue::Notification> items_;
  std::size_t first_ = 0;          // those before are sent
  std::size_t sent_of_first_ = 0;  // bytes
  std::size_t bytes_ = 0;
};

}  // namespace bulkhead

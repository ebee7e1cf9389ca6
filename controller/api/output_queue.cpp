// SPDX-License-Identifier: Apache-2.0
#include "controller/api/output_queue.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace bulkhead {
namespace {

std::size_t size_of(const EventQueue::Notification& item) {
  return item.head.size() + (item.event ? item.event->rest.size() : 0);
}

void add_piece(std::vector<iovec>& pieces, std::string_view text, std::size_t& skipped) {
  const std::size_t skip = std::min(skipped, text.size());
  skipped -= skip;
  // sendmsg(2) does not write there, whatever the type says.
  if (skip < text.size()) pieces.push_back({const_cast<char*>(text.data() + skip), text.size() - skip});
}

}  // namespace

void OutputQueue::push(EventQueue::Notification notification) {
  bytes_ += size_of(notification);
  items_.push_back(std::move(notification));
}

std::vector<iovec> OutputQueue::pieces() const {
  std::vector<iovec> pieces;
  std::size_t skipped = sent_of_first_;
  for (std::size_t index = first_; index < items_.size() && pieces.size() + 2 <= kMostPieces; ++index) {
    add_piece(pieces, items_[index].head, skipped);
    if (items_[index].event) add_piece(pieces, items_[index].event->rest, skipped);
  }
  return pieces;
}

void OutputQueue::sent(std::size_t bytes) {
  bytes_ -= bytes;
  sent_of_first_ += bytes;
  while (!empty() && sent_of_first_ >= size_of(items_[first_])) {
    sent_of_first_ -= size_of(items_[first_]);
    items_[first_++] = {};
  }
  if (empty()) {
    items_ = {};
    first_ = 0;
  } else if (first_ > kMostPieces && first_ * 2 > items_.size()) {
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
}

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/api/event_queue.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "controller/api/answer.h"

namespace bulkhead {

SharedEvent make_event(EventKind kind, std::string at, const nlohmann::ordered_json& data) {
  std::string rest = R"(,"kind":")" + std::string(to_string(kind)) + R"(","at":")" + at + R"(","data":)" +
                     one_line(data) + "}}\n";
  return std::make_shared<const Event>(Event{kind, std::move(at), std::move(rest)});
}

EventQueue::EventQueue(std::uint64_t subscription, std::vector<EventKind> kinds, EventLimits limits,
                       std::function<void()> wake)
    : subscription_(subscription), kinds_(std::move(kinds)), limits_(limits), wake_(std::move(wake)) {}

bool EventQueue::wants(EventKind kind) const {
  return kinds_.empty() || std::find(kinds_.begin(), kinds_.end(), kind) != kinds_.end();
}

bool EventQueue::full(const Event& event) const {
  return waiting_.size() >= limits_.events || bytes_ + event.rest.size() > limits_.bytes;
}

void EventQueue::push(const SharedEvent& event) {
  const bool was_empty = waiting_.empty();
  if (!full(*event)) {
    bytes_ += event->rest.size();
    waiting_.push_back({.event = event});
  } else {
    ++all_lost_;
    if (waiting_.empty() || waiting_.back().event) waiting_.push_back({.at = event->at});
    ++waiting_.back().lost;
  }
  if (was_empty) wake_();
}

EventQueue::Notification EventQueue::pop() {
  Waiting next = std::move(waiting_.front());
  waiting_.pop_front();
  if (next.event) {
    bytes_ -= next.event->rest.size();
  } else {
    next.event = make_event(EventKind::lost, std::move(next.at), {{"count", next.lost}});
  }
  std::string head = R"({"jsonrpc":"2.0","method":"event","params":{"subscription":)" +
                     std::to_string(subscription_) + R"(,"sequence":)" + std::to_string(++sequence_);
  return {std::move(head), std::move(next.event)};
}

}  // namespace bulkhead

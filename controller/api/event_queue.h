// SPDX-License-Identifier: Apache-2.0
// Events that wait for one subscriber. It is bounded: a slow reader loses the newest, and is told how many at
// the place where they are missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "controller/api/event_kinds.h"

namespace bulkhead {

// Rendered once for all who get it.
struct Event {
  EventKind kind;
  std::string at;    // UTC, ISO 8601
  std::string rest;  // of the notification, behind the sequence number
};
using SharedEvent = std::shared_ptr<const Event>;

// On any thread.
SharedEvent make_event(EventKind kind, std::string at, const nlohmann::ordered_json& data);

struct EventLimits {
  std::size_t events = 256;
  std::size_t bytes = 256 << 10;
};

class EventQueue {
 public:
  // Without kinds, of every kind. `wake` is called when there is something in an empty queue.
  EventQueue(std::uint64_t subscription, std::vector<EventKind> kinds, EventLimits limits,
             std::function<void()> wake);

  bool wants(EventKind kind) const;
  void push(const SharedEvent& event);

  bool empty() const { return waiting_.empty(); }
  std::size_t bytes() const { return bytes_; }
  std::uint64_t lost() const { return all_lost_; }
  std::uint64_t subscription() const { return subscription_; }

  // The next notification, as the text before and after what all subscribers share.
  struct Notification {
    std::string head;
    SharedEvent event;
  };
  Notification pop();

 private:
  struct Waiting {
    SharedEvent event;       // nothing where some are missing
    std::uint64_t lost = 0;  // how many
    std::string at;          // since when
  };
  bool full(const Event& event) const;

  std::uint64_t subscription_;
  std::vector<EventKind> kinds_;
  EventLimits limits_;
  std::function<void()> wake_;
  std::deque<Waiting> waiting_;
  std::size_t bytes_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t all_lost_ = 0;
};

}  // namespace bulkhead

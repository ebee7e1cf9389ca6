// SPDX-License-Identifier: Apache-2.0
// Brings each event to all who subscribed. On the API's thread only; other threads post to it.
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "controller/api/event_queue.h"

namespace bulkhead {

class EventHub {
 public:
  void publish(const SharedEvent& event);

  // It happened now.
  void publish(EventKind kind, const nlohmann::ordered_json& data);

  // Until the last one who holds the queue lets go of it.
  std::shared_ptr<EventQueue> subscribe(std::vector<EventKind> kinds, EventLimits limits,
                                        std::function<void()> wake);

  std::size_t subscribers() const;

 private:
  std::vector<std::weak_ptr<EventQueue>> queues_;
  std::uint64_t last_subscription_ = 0;
};

// Of the system's clock, with milliseconds: "2026-11-30T17:57:14.123Z".
std::string utc_with_milliseconds();

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/api/event_hub.h"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

namespace bulkhead {

void EventHub::publish(const SharedEvent& event) {
  std::erase_if(queues_, [](const auto& queue) { return queue.expired(); });
  // Waking a subscriber may end it, or make another.
  const std::vector<std::weak_ptr<EventQueue>> queues = queues_;
  for (const auto& held : queues) {
    const std::shared_ptr<EventQueue> queue = held.lock();
    if (queue && queue->wants(event->kind)) queue->push(event);
  }
}

void EventHub::publish(EventKind kind, const nlohmann::ordered_json& data) {
  publish(make_event(kind, utc_with_milliseconds(), data));
}

std::shared_ptr<EventQueue> EventHub::subscribe(std::vector<EventKind> kinds, EventLimits limits,
                                                std::function<void()> wake) {
  std::erase_if(queues_, [](const auto& queue) { return queue.expired(); });
  auto queue = std::make_shared<EventQueue>(++last_subscription_, std::move(kinds), limits, std::move(wake));
  queues_.push_back(queue);
  return queue;
}

std::size_t EventHub::subscribers() const {
  std::size_t count = 0;
  for (const auto& queue : queues_) count += queue.expired() ? 0 : 1;
  return count;
}

std::string utc_with_milliseconds() {
  const auto now = std::chrono::system_clock::now();
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text + length, sizeof text - length, ".%03dZ", static_cast<int>(since % 1000));
  return text;
}

}  // namespace bulkhead

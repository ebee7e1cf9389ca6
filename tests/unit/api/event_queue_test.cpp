// SPDX-License-Identifier: Apache-2.0
#include "controller/api/event_queue.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "controller/api/event_hub.h"

namespace bulkhead {
namespace {

SharedEvent numbered(int number) {
  return make_event(EventKind::drift_found, "2026-11-30T10:00:0" + std::to_string(number % 10) + ".000Z",
                    {{"n", number}});
}

std::string text_of(EventQueue& queue) {
  const auto [head, event] = queue.pop();
  return head + event->rest;
}

TEST(EventQueue, an_event_is_a_notification) {
  EventQueue queue(3, {}, {}, [] {});
  queue.push(numbered(1));
  queue.push(numbered(2));
  EXPECT_EQ(
      text_of(queue),
      R"({"jsonrpc":"2.0","method":"event","params":{"subscription":3,"sequence":1,"kind":"drift.found",)"
      R"("at":"2026-11-30T10:00:01.000Z","data":{"n":1}}})"
      "\n");
  EXPECT_EQ(
      text_of(queue),
      R"({"jsonrpc":"2.0","method":"event","params":{"subscription":3,"sequence":2,"kind":"drift.found",)"
      R"("at":"2026-11-30T10:00:02.000Z","data":{"n":2}}})"
      "\n");
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.bytes(), 0U);
}

TEST(EventQueue, wakes_when_it_is_empty_no_more) {
  int woken = 0;
  EventQueue queue(1, {}, {}, [&] { ++woken; });
  queue.push(numbered(1));
  queue.push(numbered(2));
  EXPECT_EQ(woken, 1);
  queue.pop();
  queue.push(numbered(3));
  EXPECT_EQ(woken, 1);
  queue.pop();
  queue.pop();
  queue.push(numbered(4));
  EXPECT_EQ(woken, 2);
}

TEST(EventQueue, tells_where_and_how_many_were_lost) {
  EventQueue queue(1, {}, {.events = 2}, [] {});
  for (int number = 1; number <= 5; ++number) queue.push(numbered(number));
  EXPECT_EQ(queue.lost(), 3U);
  queue.pop();
  queue.push(numbered(6));  // the mark stands in the place of an event
  EXPECT_EQ(queue.lost(), 4U);
  queue.pop();
  queue.push(numbered(7));
  EXPECT_EQ(text_of(queue),
            R"({"jsonrpc":"2.0","method":"event","params":{"subscription":1,"sequence":3,"kind":"lost",)"
            R"("at":"2026-11-30T10:00:03.000Z","data":{"count":4}}})"
            "\n");
  EXPECT_NE(text_of(queue).find(
                R"("sequence":4,"kind":"drift.found","at":"2026-11-30T10:00:07.000Z","data":{"n":7})"),
            std::string::npos);
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, holds_so_many_bytes) {
  const std::size_t one = numbered(1)->rest.size();
  EventQueue queue(1, {}, {.bytes = 3 * one + one / 2}, [] {});
  for (int number = 1; number <= 9; ++number) queue.push(numbered(number));
  EXPECT_EQ(queue.bytes(), 3 * one);
  EXPECT_EQ(queue.lost(), 6U);
}

TEST(EventQueue, an_event_larger_than_all_room_is_lost) {
  EventQueue queue(1, {}, {.bytes = 10}, [] {});
  queue.push(numbered(1));
  EXPECT_NE(text_of(queue).find(R"("data":{"count":1})"), std::string::npos);
}

TEST(EventHub, renders_once_and_only_for_who_wants_it) {
  EventHub hub;
  const auto all = hub.subscribe({}, {}, [] {});
  const auto other = hub.subscribe({EventKind::drift_found}, {}, [] {});
  const auto none = hub.subscribe({EventKind::policy_reset}, {}, [] {});
  hub.publish(numbered(1));
  EXPECT_EQ(all->pop().event, other->pop().event);
  EXPECT_TRUE(none->empty());
  EXPECT_EQ(all->subscription(), 1U);
  EXPECT_EQ(none->subscription(), 3U);
}

TEST(EventHub, forgets_who_has_gone_also_while_publishing) {
  EventHub hub;
  auto kept = hub.subscribe({}, {}, [] {});
  std::shared_ptr<EventQueue> leaving = hub.subscribe({}, {}, [&] { kept.reset(); });
  hub.publish(EventKind::host_changed, nlohmann::ordered_json::object());
  EXPECT_EQ(hub.subscribers(), 1U);
  leaving.reset();
  EXPECT_EQ(hub.subscribers(), 0U);
  hub.publish(numbered(2));
}

TEST(EventHub, the_time_has_milliseconds) {
  const std::string now = utc_with_milliseconds();
  ASSERT_EQ(now.size(), std::string("2026-11-30T10:00:00.000Z").size());
  EXPECT_EQ(now[10], 'T');
  EXPECT_EQ(now[19], '.');
  EXPECT_EQ(now.back(), 'Z');
}

}  // namespace
}  // namespace bulkhead

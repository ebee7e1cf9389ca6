// SPDX-License-Identifier: Apache-2.0
// LineBuffer and OutputQueue.
#include <gtest/gtest.h>

#include "controller/api/line_buffer.h"
#include "controller/api/output_queue.h"
#include "controller/api/pending_message.h"

namespace bulkhead {
namespace {

TEST(LineBuffer, gives_whole_lines_however_they_come) {
  LineBuffer buffer(100);
  std::string lines;
  for (const char byte : std::string("one\n\ntwo\nthr")) {
    buffer.append(std::string_view(&byte, 1));
    while (const auto line = buffer.next_line(false)) lines += std::string(*line) + '|';
    buffer.discard_taken();
  }
  EXPECT_EQ(lines, "one||two|");
  EXPECT_EQ(buffer.bytes(), 3U);
  EXPECT_EQ(buffer.next_line(true), "thr");
  EXPECT_EQ(buffer.next_line(true), std::nullopt);
}

TEST(LineBuffer, knows_a_line_that_is_too_long_before_it_ends) {
  LineBuffer buffer(3);
  buffer.append("abc");
  EXPECT_FALSE(buffer.too_long());
  buffer.append("d");
  EXPECT_TRUE(buffer.too_long());
  buffer.clear();
  buffer.append("abc\nabcd\n");
  EXPECT_FALSE(buffer.too_long());
  EXPECT_EQ(buffer.next_line(false), "abc");
  EXPECT_TRUE(buffer.too_long());
  EXPECT_TRUE(buffer.has_line());
}

TEST(OutputQueue, sends_texts_and_shared_events_in_order_whatever_is_taken) {
  const SharedEvent event = std::make_shared<const Event>(Event{EventKind::lost, "", "shared\n"});
  for (const std::size_t step : {1U, 7U, 1000U}) {
    OutputQueue queue;
    queue.push("first\n");
    for (int copy = 0; copy < 200; ++copy) queue.push({std::to_string(copy), event});
    std::string sent, expected = "first\n";
    for (int copy = 0; copy < 200; ++copy) expected += std::to_string(copy) + "shared\n";
    EXPECT_EQ(queue.bytes(), expected.size());
    while (!queue.empty()) {
      const auto pieces = queue.pieces();
      ASSERT_FALSE(pieces.empty());
      ASSERT_LE(pieces.size(), OutputQueue::kMostPieces);
      const std::size_t taken = std::min(step, pieces.front().iov_len);
      sent.append(static_cast<const char*>(pieces.front().iov_base), taken);
      queue.sent(taken);
    }
    EXPECT_EQ(sent, expected);
    EXPECT_EQ(queue.bytes(), 0U);
  }
}

TEST(PendingMessage, is_complete_with_its_last_answer) {
  PendingMessage batch(true, 3);
  EXPECT_FALSE(batch.settle(2, "c"));
  EXPECT_FALSE(batch.settle(0, "a"));
  EXPECT_TRUE(batch.settle(1, ""));
  EXPECT_EQ(batch.take_text(), "[a,c]");
  PendingMessage notifications(true, 1);
  EXPECT_TRUE(notifications.settle(0, ""));
  EXPECT_EQ(notifications.take_text(), "");
  PendingMessage single(false, 1);
  EXPECT_TRUE(single.settle(0, "a"));
  EXPECT_EQ(single.take_text(), "a");
}

}  // namespace
}  // namespace bulkhead

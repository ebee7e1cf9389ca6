// SPDX-License-Identifier: Apache-2.0
// Callers that do not behave: what they cost is bounded, and others do not notice.
#include <algorithm>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/unit/api/raw_caller.h"
#include "tests/unit/api/running_server.h"

namespace bulkhead {
namespace {

constexpr std::size_t kScratch = 65536;  // what is read at once
const std::string kAskVerify = R"({"jsonrpc":"2.0","id":1,"method":"state.verify"})"
                               "\n";

std::string message_of(const std::string& line) {
  const auto answer = nlohmann::json::parse(line, nullptr, false);
  if (!answer.is_object() || !answer.contains("error")) return line;
  EXPECT_TRUE(answer["error"]["data"].is_object());
  return answer["id"].dump() + ' ' + answer["error"]["code"].dump() + ' ' +
         answer["error"]["message"].get<std::string>();
}

bool serves(RunningServer& server) {
  return RawCaller(server.path()).ask(kAskVerify).find(R"("result")") != std::string::npos;
}

TEST(HostileCallers, a_byte_at_a_time) {
  RunningServer server;
  RawCaller caller(server.path());
  for (const char byte : kAskVerify) {
    caller.send(std::string_view(&byte, 1));
    if (byte == ',') server.counts();  // it is read meanwhile
  }
  EXPECT_NE(caller.line().find(R"("result")"), std::string::npos);
}

TEST(HostileCallers, a_line_without_end) {
  constexpr std::size_t kMost = 100'000;
  RunningServer server({.limits = {.message_bytes = kMost}});
  RawCaller caller(server.path());
  const std::string piece(1000, '[');
  std::size_t most_held = 0;
  for (int count = 0; count < 1000; ++count) {
    caller.offer(piece);
    if (count % 50 == 0) most_held = std::max(most_held, server.counts().queued_bytes);
  }
  EXPECT_EQ(message_of(caller.line()), "null -32600 a message has at most 100000 bytes, on one line");
  EXPECT_EQ(caller.line(), "(end)");
  EXPECT_LE(most_held, kMost + kScratch);
  EXPECT_TRUE(RunningServer::eventually([&] { return server.counts().clients == 0; }));
  EXPECT_EQ(server.counts().queued_bytes, 0U);
}

TEST(HostileCallers, the_longest_line_that_may_be) {
  RunningServer server({.limits = {.message_bytes = 100'000}});
  RawCaller caller(server.path());
  std::string line = R"({"jsonrpc":"2.0","id":1,"method":"policy.check","params":[""]})";
  line.insert(line.size() - 3, std::string(100'000 - line.size(), 'x'));
  EXPECT_NE(caller.ask(line).find(R"("result")"), std::string::npos);
  line.insert(line.size() - 3, "x");
  EXPECT_EQ(message_of(caller.ask(line)), "null -32600 a message has at most 100000 bytes, on one line");
}

TEST(HostileCallers, ten_thousand_requests_in_one_line) {
  RunningServer server;
  RawCaller caller(server.path());
  std::string line = "[";
  for (int request = 0; request < 10'000; ++request)
    line += R"({"jsonrpc":"2.0","id":1,"method":"state.verify"},)";
  line.back() = ']';
  EXPECT_EQ(message_of(caller.ask(line)), "null -32600 a batch has at most 100 requests");
  EXPECT_NE(caller.ask(kAskVerify).find(R"("result")"), std::string::npos);
}

TEST(HostileCallers, what_is_no_text) {
  RunningServer server;
  RawCaller caller(server.path());
  EXPECT_EQ(message_of(caller.ask("{\"jsonrpc\":\"2.0\",\"id\":\"\xff\"}")),
            "null -32700 this is no JSON, from byte 24 on");
  EXPECT_EQ(message_of(caller.ask(std::string("\0\0", 2))), "null -32700 there is a NUL, at byte 1");
  EXPECT_EQ(message_of(caller.ask("")), "null -32700 this is no JSON, from byte 1 on");
  EXPECT_NE(caller.ask(kAskVerify).find(R"("result")"), std::string::npos);
}

TEST(HostileCallers, more_requests_than_may_be_in_flight_wait) {
  RunningServer server({.limits = {.requests_in_flight = 4}});
  RawCaller caller(server.path());
  for (int request = 0; request < 100; ++request) {
    caller.send(R"({"jsonrpc":"2.0","id":1,"method":"policy.plan","params":["{}"]})"
                "\n");
  }
  ASSERT_TRUE(RunningServer::eventually([&] { return server.held() == 4; }));
  EXPECT_TRUE(serves(server));
  EXPECT_EQ(server.held(), 4U);
  for (int answered = 0; answered < 100; answered += 4) {
    ASSERT_TRUE(RunningServer::eventually([&] { return server.held() == 4; }));
    server.release();
    for (int line = 0; line < 4; ++line) EXPECT_NE(caller.line().find("released"), std::string::npos);
  }
}

TEST(HostileCallers, who_never_reads_is_not_read_from) {
  constexpr std::size_t kQueued = 100'000;
  RunningServer server({.limits = {.queued_bytes = kQueued}});
  RawCaller caller(server.path());
  const std::string request = R"({"jsonrpc":"2.0","id":1,"method":"state.status"})"
                              "\n";
  std::size_t asked = 0;
  const auto nothing_is_taken = [&] {
    while (caller.offer(request) == request.size()) ++asked;
    return server.counts().queued_bytes > kQueued && caller.offer(request) == 0;
  };
  ASSERT_TRUE(RunningServer::eventually(nothing_is_taken));
  const std::size_t queued = server.counts().queued_bytes;
  EXPECT_LE(queued, kQueued + 9000 + kScratch);
  EXPECT_TRUE(serves(server));
  for (std::size_t line = 0; line < asked; ++line) ASSERT_EQ(caller.line().size(), 8000U + 36U) << line;
  EXPECT_EQ(server.counts().queued_bytes, 0U);
}

TEST(HostileCallers, all_of_one_user_hold_so_much) {
  RunningServer server({.limits = {.held_bytes_per_user = 150'000}});
  std::vector<RawCaller> callers;
  const std::string part(50'000, ' ');
  for (int count = 0; count < 3; ++count) {
    callers.emplace_back(server.path());
    callers.back().send(part);
    ASSERT_TRUE(RunningServer::eventually(
        [&] { return server.counts().queued_bytes == part.size() * callers.size(); }));
  }
  RawCaller more(server.path());
  more.send(" ");
  EXPECT_EQ(message_of(more.line()), "null -32007 the messages of user " + std::to_string(::getuid()) +
                                         " hold more than 150000 bytes");
  EXPECT_EQ(more.line(), "(end)");
  EXPECT_EQ(server.counts().queued_bytes, 150'000U);
}

TEST(HostileCallers, more_connections_than_there_is_room_for) {
  RunningServer server({.limits = {.clients = 100}});
  std::vector<RawCaller> callers;
  for (int count = 0; count < 100; ++count) callers.emplace_back(server.path());
  ASSERT_TRUE(RunningServer::eventually([&] { return server.counts().clients == 100; }));
  RawCaller refused(server.path());
  EXPECT_EQ(message_of(refused.line()), "null -32007 there are 100 connections already");
  EXPECT_EQ(refused.line(), "(end)");
  EXPECT_EQ(server.counts().turned_away, 1U);
  callers.pop_back();
  ASSERT_TRUE(RunningServer::eventually([&] { return server.counts().clients == 99; }));
  EXPECT_TRUE(serves(server));
}

TEST(HostileCallers, many_that_come_and_go) {
  RunningServer server;
  for (int count = 0; count < 2000; ++count) {
    RawCaller caller(server.path());
    if (count % 3 == 0) caller.offer("{");
    if (count % 3 == 1) caller.offer(kAskVerify);
  }
  EXPECT_TRUE(serves(server));
  EXPECT_TRUE(RunningServer::eventually([&] { return server.counts().clients == 0; }));
  EXPECT_EQ(server.counts().connections, 2001U);
}

TEST(HostileCallers, without_descriptors_callers_are_told_and_nothing_spins) {
  RunningServer server;
  std::vector<RawCaller> callers(3);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  // A descriptor that is not there may not be given out: the next one to be opened would be beyond the limit.
  const int next = ::dup(0);
  ::close(next);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(next);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  for (RawCaller& caller : callers) {
    ASSERT_TRUE(caller.connect(server.path()));
    EXPECT_EQ(message_of(caller.line()),
              "null -32006 cannot take another client (the API's socket: Too many open files)");
    EXPECT_EQ(caller.line(), "(end)");
  }
  const auto switches = [&] {
    return server.on_thread([] {
      rusage usage{};
      ::getrusage(RUSAGE_THREAD, &usage);
      return usage.ru_nvcsw;
    });
  };
  const long switched = switches();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LE(switches() - switched, 4);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(serves(server));
}

TEST(IdleServer, is_never_woken) {
  RunningServer server;
  std::vector<RawCaller> callers;
  for (int count = 0; count < 50; ++count) {
    callers.emplace_back(server.path());
    callers.back().ask(R"({"jsonrpc":"2.0","id":1,"method":"events.subscribe"})");
  }
  callers[0].send("{");  // half a message
  callers[1].end();
  const auto switches = [&] {
    return server.on_thread([] {
      rusage usage{};
      ::getrusage(RUSAGE_THREAD, &usage);
      return usage.ru_nvcsw;
    });
  };
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const long switched = switches();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LE(switches() - switched, 3);
}

}  // namespace
}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/unit/api/raw_caller.h"
#include "tests/unit/api/running_server.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

std::string subscribe_to(const std::string& kinds) {
  return R"({"jsonrpc":"2.0","id":1,"method":"events.subscribe","params":{"kinds":[)" + kinds + "]}}";
}
const std::string kSubscribeToAll = R"({"jsonrpc":"2.0","id":1,"method":"events.subscribe"})";

TEST(ServerEvents, come_to_those_who_subscribed) {
  RunningServer server;
  RawCaller all(server.path()), resets(server.path()), nobody(server.path());
  EXPECT_EQ(all.ask(kSubscribeToAll), R"({"jsonrpc":"2.0","id":1,"result":{"subscription":1}})");
  EXPECT_EQ(resets.ask(subscribe_to(R"("policy.reset")")),
            R"({"jsonrpc":"2.0","id":1,"result":{"subscription":2}})");
  server.publish(EventKind::drift_found, {{"n", 1}});
  server.publish(EventKind::policy_reset, {{"n", 2}});
  const Json first = Json::parse(all.line());
  EXPECT_EQ(first["method"], "event");
  EXPECT_FALSE(first.contains("id"));
  EXPECT_EQ(first["params"]["kind"], "drift.found");
  EXPECT_EQ(first["params"]["data"]["n"], 1);
  EXPECT_EQ(Json::parse(all.line())["params"]["sequence"], 2);
  const Json reset = Json::parse(resets.line())["params"];
  EXPECT_EQ(reset["kind"], "policy.reset");
  EXPECT_EQ(reset["sequence"], 1);
  EXPECT_EQ(reset["subscription"], 2);
  EXPECT_TRUE(resets.silent());
  EXPECT_TRUE(nobody.silent());
}

TEST(ServerEvents, end_with_the_subscription_which_is_the_connections_own) {
  RunningServer server;
  RawCaller one(server.path()), other(server.path());
  one.ask(kSubscribeToAll);
  const std::string unsubscribe = R"({"jsonrpc":"2.0","id":2,"method":"events.unsubscribe","params":[1]})";
  EXPECT_NE(other.ask(unsubscribe).find("this connection has no subscription 1"), std::string::npos);
  EXPECT_EQ(one.ask(unsubscribe), R"({"jsonrpc":"2.0","id":2,"result":{}})");
  EXPECT_NE(one.ask(unsubscribe).find("this connection has no subscription 1"), std::string::npos);
  server.publish(EventKind::policy_reset, {});
  EXPECT_TRUE(one.silent());
}

TEST(ServerEvents, a_connection_has_so_many_subscriptions) {
  RunningServer server({.limits = {.subscriptions = 2}});
  RawCaller caller(server.path());
  caller.ask(kSubscribeToAll);
  caller.ask(kSubscribeToAll);
  EXPECT_NE(caller.ask(kSubscribeToAll).find("a connection has at most 2 subscriptions"), std::string::npos);
}

TEST(ServerEvents, a_slow_reader_is_told_what_it_lost_where_it_lost_it) {
  constexpr int kEvents = 400;
  RunningServer server({.limits = {.events = {.events = 8}}});
  RawCaller slow(server.path()), quick(server.path());
  slow.ask(kSubscribeToAll);
  quick.ask(kSubscribeToAll);
  for (int number = 0; number < kEvents; ++number) {
    server.publish(EventKind::drift_found, {{"n", number}, {"text", std::string(8000, 'x')}});
    EXPECT_EQ(Json::parse(quick.line())["params"]["data"]["n"], number);
  }
  EXPECT_GT(server.counts().lost_events, 0U);
  server.publish(EventKind::policy_reset, {});
  int next = 0;
  std::uint64_t sequence = 0, lost = 0;
  for (std::string line = slow.line(); line != "(nothing)"; line = slow.line(100)) {
    const Json event = Json::parse(line)["params"];
    EXPECT_EQ(event["sequence"], ++sequence);
    if (event["kind"] == "lost") {
      next += event["data"]["count"].get<int>();
      lost += event["data"]["count"].get<std::uint64_t>();
    } else {
      EXPECT_EQ(event["data"]["n"], next++);
    }
  }
  EXPECT_EQ(next, kEvents + 1);  // the last one was lost, too
  EXPECT_EQ(server.counts().lost_events, lost);
  server.publish(EventKind::policy_reset, {});
  EXPECT_EQ(Json::parse(slow.line())["params"]["kind"], "policy.reset");
}

TEST(ServerEvents, are_still_told_to_who_only_listens_until_it_hangs_up) {
  RunningServer server;
  RawCaller caller(server.path());
  caller.ask(kSubscribeToAll);
  caller.end();
  EXPECT_TRUE(caller.silent());
  server.publish(EventKind::policy_reset, {});
  EXPECT_NE(caller.line().find("policy.reset"), std::string::npos);
  EXPECT_EQ(server.counts().clients, 1U);
  caller.hang_up();
  EXPECT_TRUE(RunningServer::eventually([&] { return server.counts().clients == 0; }));
}

TEST(ServerEvents, of_a_burst_all_come_to_everybody) {
  RunningServer server;
  std::vector<RawCaller> callers;
  for (int count = 0; count < 300; ++count) {
    callers.emplace_back(server.path());
    callers.back().send(kSubscribeToAll + '\n');
  }
  for (RawCaller& caller : callers) caller.line();
  for (int number = 0; number < 20; ++number) server.publish(EventKind::drift_found, {{"n", number}});
  for (RawCaller& caller : callers) {
    for (int number = 0; number < 20; ++number) {
      EXPECT_EQ(Json::parse(caller.line())["params"]["data"]["n"], number);
    }
  }
}

}  // namespace
}  // namespace bulkhead

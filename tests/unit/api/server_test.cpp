// SPDX-License-Identifier: Apache-2.0
#include "controller/api/server.h"

#include <gtest/gtest.h>

#include "controller/api/open_rpc.h"
#include "tests/unit/api/raw_caller.h"
#include "tests/unit/api/running_server.h"

namespace bulkhead {
namespace {

const std::string kVerify = R"({"jsonrpc":"2.0","id":1,"method":"state.verify"})";
const std::string kVerified = R"({"jsonrpc":"2.0","id":1,"result":{"method":"state.verify","uid":)" +
                              std::to_string(::getuid()) + R"(,"params":"{}"}})";
const std::string kHeld = R"({"jsonrpc":"2.0","id":2,"method":"policy.plan","params":["{}"]})";
const std::string kReleased = R"({"jsonrpc":"2.0","id":2,"result":"released"})";

TEST(ApiServer, answers_calls) {
  RunningServer server;
  RawCaller caller(server.path());
  EXPECT_EQ(caller.ask(kVerify), kVerified);
  EXPECT_EQ(caller.ask(R"({"jsonrpc":"2.0","id":"x","method":"policy.reset","params":[4]})"),
            R"({"jsonrpc":"2.0","id":"x","result":{"method":"policy.reset","uid":)" +
                std::to_string(::getuid()) + R"(,"params":"{\"if_generation\":4}"}})");
  EXPECT_EQ(caller.ask(R"({"jsonrpc":"2.0","id":1,"method":"rpc.discover"})"),
            R"({"jsonrpc":"2.0","id":1,"result":)" + open_rpc_document() + '}');
  EXPECT_EQ(server.counts().requests, 3U);
  EXPECT_EQ(server.counts().refusals, 0U);
  EXPECT_EQ(server.counts().queued_bytes, 0U);
}

TEST(ApiServer, later_answers_do_not_hold_up_others) {
  RunningServer server;
  RawCaller caller(server.path());
  caller.send(kHeld + '\n');
  EXPECT_EQ(caller.ask(kVerify), kVerified);
  server.release();
  EXPECT_EQ(caller.line(), kReleased);
}

TEST(ApiServer, a_batch_is_answered_at_once_and_in_its_order) {
  RunningServer server;
  RawCaller caller(server.path());
  caller.send('[' + kHeld + ",7," + kVerify + R"(,{"jsonrpc":"2.0","method":"state.verify"}])" + '\n');
  EXPECT_TRUE(caller.silent());
  server.release();
  const std::string line = caller.line();
  EXPECT_EQ(line.substr(0, kReleased.size() + 2), '[' + kReleased + ',');
  EXPECT_NE(line.find(R"("message":"a request is an object")"), std::string::npos);
  EXPECT_EQ(line.substr(line.size() - kVerified.size() - 2), ',' + kVerified + ']');
}

TEST(ApiServer, notifications_get_no_answer_even_where_they_are_wrong) {
  RunningServer server;
  RawCaller caller(server.path());
  caller.send(R"({"jsonrpc":"2.0","method":"state.verify"})"
              "\n");
  caller.send(R"({"jsonrpc":"2.0","method":"no.such"})"
              "\n");
  caller.send(R"([{"jsonrpc":"2.0","method":"state.verify","params":{"x":1}}])"
              "\n");
  EXPECT_EQ(caller.ask(kVerify), kVerified);
  EXPECT_EQ(server.counts().refusals, 2U);
}

TEST(ApiServer, who_says_no_more_is_still_answered) {
  RunningServer server;
  RawCaller caller(server.path());
  caller.send(kHeld);  // without a newline
  caller.end();
  EXPECT_TRUE(caller.silent());
  server.release();
  EXPECT_EQ(caller.line(), kReleased);
  EXPECT_EQ(caller.line(), "(end)");
}

TEST(ApiServer, who_has_gone_is_no_matter) {
  RunningServer server;
  {
    RawCaller caller(server.path());
    caller.send(kHeld + '\n');
    ASSERT_TRUE(RunningServer::eventually([&] { return server.held() == 1; }));
  }
  ASSERT_TRUE(RunningServer::eventually([&] { return server.counts().clients == 0; }));
  server.release();
  EXPECT_EQ(server.counts().queued_bytes, 0U);
}

TEST(ApiServer, a_method_without_a_handler_is_a_mistake_of_ours) {
  boost::asio::io_context context;
  const Dispatcher nothing;
  EventHub events;
  const auto files = make_linux_file_system();
  try {
    const Server server(context, ListeningSocket(SocketOptions{.path = "/tmp/bulkhead-no-handlers.sock"}),
                        nothing, events, *files);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::internal);
    EXPECT_STREQ(
        error.what(),
        "nobody answers the methods host.describe, policy.check, policy.plan, policy.apply, policy.active, "
        "policy.reset, state.verify, state.status, counters.read, "
        "service.attach, service.detach, experiment.start, experiment.status, experiment.stop, "
        "experiment.result");
  }
  EXPECT_NE(::access("/tmp/bulkhead-no-handlers.sock", F_OK), 0);
}

TEST(Dispatcher, answers_once_whatever_a_handler_does) {
  Dispatcher dispatcher;
  const Method& method = *find_method("state.verify");
  std::string answers;
  const Reply reply = [&](const Answer& answer) {
    answers += answer.refusal() != nullptr ? answer.refusal()->error.what() : *answer.result();
    answers += '|';
  };
  const auto answered = [&](Handler handler) {
    dispatcher.handle("state.verify", std::move(handler));
    dispatcher.dispatch(method, {}, {}, reply);
    return std::exchange(answers, {});
  };
  EXPECT_EQ(answered([](const Caller&, const nlohmann::json&, const Reply& to) {
              to(nlohmann::ordered_json(1));
              to(nlohmann::ordered_json(2));
              throw Error(ErrorCode::refused, "too late");
            }),
            "1|");
  EXPECT_EQ(answered([](const Caller&, const nlohmann::json&, const Reply&) {
              throw Error(ErrorCode::refused, "no");
            }),
            "no|");
  EXPECT_EQ(
      answered([](const Caller&, const nlohmann::json&, const Reply&) { throw std::runtime_error("odd"); }),
      "state.verify failed: odd|");
  for (const std::string_view name : {"no.such", "rpc.discover"}) {
    try {
      dispatcher.handle(name, {});
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), "no handler may answer the method " + std::string(name));
    }
  }
}

}  // namespace
}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/api/client.h"

#include <gtest/gtest.h>

#include "controller/api/error_json.h"
#include "tests/unit/api/running_server.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

TEST(Client, is_nothing_where_no_daemon_listens) {
  EXPECT_FALSE(Client::connect("/tmp/bulkhead-no-such.sock"));
  const std::string path = "/tmp/bulkhead-client-test.sock";
  UniqueFd dead(::socket(AF_UNIX, SOCK_STREAM, 0));
  {
    const ListeningSocket listening(SocketOptions{.path = path});
    ASSERT_EQ(::rename(path.c_str(), (path + ".dead").c_str()), 0);
  }
  EXPECT_FALSE(Client::connect(path + ".dead"));
  ::unlink((path + ".dead").c_str());
}

TEST(Client, gets_results) {
  RunningServer server;
  auto client = Client::connect(server.path());
  ASSERT_TRUE(client);
  EXPECT_EQ(client->call("policy.reset", {{"if_generation", 3}})["params"], R"({"if_generation":3})");
  EXPECT_EQ(client->call("policy.active", nullptr)["params"], "{}");
  EXPECT_EQ(client->call("state.status", nullptr).get<std::string>().size(), 8000U);
}

TEST(Client, gets_the_error_that_the_daemon_had) {
  RunningServer server;
  for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code) {
    const Error sent(ErrorDetail{.code = static_cast<ErrorCode>(code),
                                 .message = "cannot write",
                                 .path = "/g/schemata",
                                 .error_number = EINVAL,
                                 .kernel_status = "Mask out of range",
                                 .context = {"writing", "applying"}});
    server.answer_check_with(sent);
    auto client = Client::connect(server.path());
    try {
      client->call("policy.check", {{"text", ""}});
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), sent.code());
      EXPECT_EQ(error_json(error.detail()), error_json(sent.detail()));
      EXPECT_STREQ(error.what(), sent.what());
    }
    EXPECT_EQ(client->call("policy.active", nullptr)["params"], "{}");
  }
}

// A listening socket whose owner is stopped takes connections and requests all the same.
TEST(Client, waits_no_longer_than_it_may) {
  const std::string path = "/tmp/bulkhead-client-silent.sock";
  const ListeningSocket silent(SocketOptions{.path = path});
  auto client = Client::connect(path);
  ASSERT_TRUE(client);
  client->set_patience(std::chrono::milliseconds(20));
  for (const std::size_t size : {std::size_t{1}, std::size_t{1} << 21}) {
    try {
      client->call("policy.check", {{"text", std::string(size, 'x')}});
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::refused);
      EXPECT_STREQ(
          error.what(),
          "the daemon has not answered policy.check within 20 ms: it is stopped, hangs or has much to do "
          "(see systemctl status bulkheadd; --timeout waits for longer); what becomes of the request is not "
          "known");
    }
  }
}

TEST(Client, keeps_events_that_come_while_it_waits_for_an_answer) {
  RunningServer server;
  auto client = Client::connect(server.path());
  EXPECT_EQ(client->call("events.subscribe", Json::object())["subscription"], 1);
  EXPECT_EQ(client->next_event(std::chrono::milliseconds(0)), std::nullopt);
  server.publish(EventKind::drift_found, {{"n", 1}});
  server.publish(EventKind::drift_found, {{"n", 2}});
  EXPECT_EQ(client->call("policy.active", nullptr)["params"], "{}");
  server.publish(EventKind::drift_found, {{"n", 3}});
  for (int number = 1; number <= 3; ++number) {
    const auto event = client->next_event(std::chrono::seconds(5));
    ASSERT_TRUE(event);
    EXPECT_EQ((*event)["data"]["n"], number);
    EXPECT_EQ((*event)["sequence"], number);
  }
  EXPECT_EQ(client->next_event(std::chrono::milliseconds(20)), std::nullopt);
}

TEST(Client, who_is_turned_away_knows_why) {
  RunningServer server({.limits = {.clients = 0}});
  auto client = Client::connect(server.path());
  try {
    client->call("policy.active", nullptr);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::conflict);
    EXPECT_STREQ(error.what(), "there are 0 connections already");
  }
}

TEST(Client, an_end_of_the_daemon_is_an_error) {
  auto server = std::make_unique<RunningServer>();
  auto client = Client::connect(server->path());
  client->call("policy.active", nullptr);
  server.reset();
  try {
    client->call("policy.active", nullptr);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::refused);
    EXPECT_STREQ(
        error.what(),
        "the daemon ended the connection before it answered: what became of the request is not known");
  }
}

}  // namespace
}  // namespace bulkhead

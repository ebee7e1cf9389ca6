// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <gtest/gtest.h>

#include "controller/api/caller.h"
#include "tests/unit/api/as_user.h"
#include "tests/unit/api/raw_caller.h"
#include "tests/unit/api/running_server.h"

namespace bulkhead {
namespace {

constexpr AccessGroups kAccess{.admin = 5001, .read = 5002};
const std::string kLook = R"({"jsonrpc":"2.0","id":1,"method":"policy.active"})"
                          "\n";
const std::string kChange = R"({"jsonrpc":"2.0","id":1,"method":"policy.reset"})"
                            "\n";

std::string result_of(unsigned uid, const std::string& method) {
  return R"({"jsonrpc":"2.0","id":1,"result":{"method":")" + method + R"(","uid":)" + std::to_string(uid) +
         R"(,"params":"{}"}})"
         "\n";
}

std::string message_in(const std::string& answer) {
  return nlohmann::json::parse(answer)["error"]["message"].get<std::string>();
}

TEST(RightOf, follows_from_user_and_groups) {
  const std::vector<unsigned> none{100}, reader{100, 5002}, admin{5002, 5001};
  EXPECT_EQ(right_of(0, none, kAccess), Right::admin);
  EXPECT_EQ(right_of(1000, none, kAccess), Right::none);
  EXPECT_EQ(right_of(1000, reader, kAccess), Right::read);
  EXPECT_EQ(right_of(1000, admin, kAccess), Right::admin);
  EXPECT_EQ(right_of(1000, admin, {}), Right::none);
  EXPECT_EQ(right_of(0, {}, {}), Right::admin);
}

TEST(UnitOfCgroup, is_the_one_that_the_system_manager_knows) {
  EXPECT_EQ(unit_of_cgroup("/system.slice/orchestrator.service"), "orchestrator.service");
  EXPECT_EQ(unit_of_cgroup("/system.slice/system-getty.slice/getty@tty1.service/sub"), "getty@tty1.service");
  EXPECT_EQ(unit_of_cgroup("/user.slice/user-1000.slice/session-3.scope"), "session-3.scope");
  EXPECT_EQ(unit_of_cgroup("/user.slice/user-1000.slice/user@1000.service/app.slice/x.service"),
            "user@1000.service");
  EXPECT_EQ(unit_of_cgroup("/init.scope"), "init.scope");
  EXPECT_EQ(unit_of_cgroup("/system.slice"), "");
  EXPECT_EQ(unit_of_cgroup("/.service/x"), "");
  EXPECT_EQ(unit_of_cgroup("/"), "");
}

TEST(CallerOf, is_who_connected) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const auto files = make_linux_file_system();
  const Caller caller = caller_of(ends[0], *files, {});
  EXPECT_EQ(caller.uid, ::getuid());
  EXPECT_EQ(caller.gid, ::getgid());
  EXPECT_EQ(caller.pid, static_cast<unsigned>(::getpid()));
  ::close(ends[0]);
  ::close(ends[1]);
  try {
    caller_of(0, *files, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.detail().message, "cannot tell who is calling");
  }
}

class Access : public testing::Test {
 protected:
  void SetUp() override {
    if (::getuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  }
};

TEST_F(Access, who_has_no_rights_learns_nothing_else) {
  RunningServer server({.access = kAccess});
  const OtherUser user{.uid = 4000, .gid = 4000, .groups = {4001}};
  const std::string refusal = heard_by(user, server.path(), kLook);
  EXPECT_EQ(
      refusal,
      R"({"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"user 4000 has no rights here","data":)"
      R"({"code":"permission","message":"user 4000 has no rights here",)"
      R"("remedy":"more rights are needed: be root, or where bulkheadd runs in its admin group, or to look in its read group","file":null,)"
      R"("line":null,"column":null,)"
      R"("pointer":null,"path":null,"errno":null,"kernel_status":null,"context":[]}}})"
      "\n");
  for (const std::string said :
       {"", "garbage\n", "[", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no.such\"}\n"}) {
    EXPECT_EQ(heard_by(user, server.path(), said), refusal);
  }
  EXPECT_EQ(server.counts().requests, 0U);
  EXPECT_EQ(server.counts().connections, 0U);
  EXPECT_EQ(server.counts().turned_away, 5U);
}

TEST_F(Access, the_read_group_may_look) {
  RunningServer server({.access = kAccess});
  for (const OtherUser& user : {OtherUser{4000, 5002, {}}, OtherUser{4000, 4000, {7, 5002, 9}}}) {
    EXPECT_EQ(heard_by(user, server.path(), kLook), result_of(4000, "policy.active"));
    EXPECT_EQ(message_in(heard_by(user, server.path(), kChange)),
              "policy.reset is for root and the admin group; user 4000 may only look");
  }
}

TEST_F(Access, the_admin_group_may_change) {
  RunningServer server({.access = kAccess});
  std::vector<gid_t> many;
  for (gid_t group = 6000; group < 6100; ++group) many.push_back(group);
  many.push_back(5001);
  for (const OtherUser& user : {OtherUser{4000, 5001, {}}, OtherUser{4000, 4000, many}}) {
    EXPECT_EQ(heard_by(user, server.path(), kChange), result_of(4000, "policy.reset"));
  }
}

TEST_F(Access, a_user_has_so_many_connections) {
  RunningServer server({.access = kAccess, .limits = {.clients_per_user = 0}});
  EXPECT_EQ(message_in(heard_by({4000, 5001, {}}, server.path(), kLook)),
            "user 4000 has 0 connections already");
  EXPECT_NE(RawCaller(server.path()).ask(kLook).find("result"), std::string::npos);  // root has no such limit
}

}  // namespace
}  // namespace bulkhead

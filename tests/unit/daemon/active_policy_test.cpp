// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/active_policy.h"

#include "tests/unit/daemon/scratch_folder.h"

namespace bulkhead {
namespace {

class ActivePolicyFile : public ScratchFolder {
 protected:
  std::optional<ActivePolicy> recall() { return read_active_policy(store_, set_aside_); }

  Store store_{folder_ + "/state"};
  std::string set_aside_;
};

TEST_F(ActivePolicyFile, tells_again_what_was_written) {
  EXPECT_EQ(recall(), std::nullopt);
  const ActivePolicy active{.generation = 18'446'744'073'709'551'615U,
                            .policy_text = "{ // \"quoted\"\n\t}",
                            .policy_file = "/etc/p \xc3\xa9.json",
                            .applied_at = "2026-11-30T12:00:00Z",
                            .boot = "0c8a"};
  write_active_policy(store_, active);
  EXPECT_EQ(recall(), active);
  write_active_policy(store_, {});
  EXPECT_EQ(recall(), ActivePolicy{});
  EXPECT_EQ(set_aside_, "");
}

TEST_F(ActivePolicyFile, is_of_what_is_in_force) {
  const State state{.generation = 3, .policy_text = "text", .policy_file = "file", .applied_at = "then"};
  EXPECT_EQ(active_policy_of(state, "boot"), (ActivePolicy{3, "text", "file", "then", "boot"}));
}

TEST_F(ActivePolicyFile, is_set_aside_where_it_makes_no_sense) {
  for (const char* text : {"", "{", "[]", "{\"bulkhead_active\": 2}", "{\"bulkhead_active\": 1}",
                           R"({"bulkhead_active": 1, "generation": "3", "policy_text": "", "policy_file": "",
                               "applied_at": "", "boot": ""})"}) {
    store_.replace("active.json", text);
    set_aside_.clear();
    EXPECT_EQ(recall(), std::nullopt) << text;
    EXPECT_EQ(set_aside_, folder_ + "/state/active.json.set-aside") << text;
    EXPECT_EQ(read("state/active.json.set-aside"), text);
    EXPECT_FALSE(store_.read("active.json"));
    store_.remove("active.json.set-aside");
  }
}

TEST_F(ActivePolicyFile, does_not_replace_what_was_set_aside_before) {
  for (const char* text : {"first", "second", "third"}) {
    store_.replace("active.json", text);
    EXPECT_EQ(recall(), std::nullopt);
  }
  EXPECT_EQ(read("state/active.json.set-aside"), "first");
  EXPECT_EQ(read("state/active.json.set-aside.1"), "second");
  EXPECT_EQ(read("state/active.json.set-aside.2"), "third");
}

TEST_F(ActivePolicyFile, is_set_aside_by_who_has_written_nothing_yet) {
  store_.replace("active.json", "{");
  Store another(folder_ + "/state");
  EXPECT_EQ(read_active_policy(another, set_aside_), std::nullopt);
  EXPECT_EQ(set_aside_, folder_ + "/state/active.json.set-aside");
}

}  // namespace
}  // namespace bulkhead

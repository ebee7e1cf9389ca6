// SPDX-License-Identifier: Apache-2.0
// What somebody else claims of a policy's ground is told and left to them; all else is kept.
#include <gmock/gmock.h>

#include "tests/unit/engine/reconciling_fixture.h"

namespace bulkhead {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kWebHasWays;
using testing::kWebOwnsNode0;
using testing::Reconciling;
using ::testing::StartsWith;

constexpr const char* kWebHasSevenWays = R"({
  "bulkhead": 1, "name": "web-seven",
  "services": {
    "web": {"select": {"cgroup": "/web"}, "cpus": "all", "l3": {"ways": 7}, "l3_exclusive": true}
  }
})";

// A schemata line with this mask.
std::string every_ccd(const std::string& mask) {
  std::string line;
  for (int ccd = 0; ccd < 12; ++ccd) line += (ccd == 0 ? "L3:" : ";") + std::to_string(ccd) + '=' + mask;
  return line + '\n';
}

class Contesting : public Reconciling {
 protected:
  // In force, seen as planned once, then claimed by `claim`; web's mask has been widened as well.
  Look claimed(const std::string& policy, const std::function<void()>& claim) {
    apply(policy);
    look(repairing_);
    claim();
    theirs_ = foreign();
    widen();
    return look(repairing_);
  }
  void expect_the_rest_is_kept(const Look& found, const std::string& why) {
    ASSERT_EQ(found.drift.size(), 2U);
    EXPECT_EQ(found.drift[0].kind, "contested");
    EXPECT_EQ(found.drift[0].message, "a part of it is somebody else's now, and is left to them: " + why);
    EXPECT_EQ(found.drift[1].kind, "mask");
    EXPECT_EQ(found.repaired.size(), 1U);
    EXPECT_FALSE(found.failure);
    EXPECT_THAT(found.left, IsEmpty());
    EXPECT_EQ(foreign(), theirs_);
    kernel_->clear_log();
    now_ += seconds(100);
    const Look again = look(repairing_);
    EXPECT_THAT(again.drift, IsEmpty()) << "told once";
    EXPECT_THAT(again.repaired, IsEmpty());
    EXPECT_FALSE(again.again);
    EXPECT_EQ(again.found.findings.size(), 1U);
    EXPECT_EQ(kernel_->log_text(), "");
  }

  std::string theirs_;
};

TEST_F(Contesting, ways_that_another_group_takes) {
  expect_the_rest_is_kept(
      claimed(kWebHasWays, [&] { host().write("/sys/fs/resctrl/theirs/schemata", "L3:2=ffff\n"); }),
      "policy.json:4:64: web wants 12 of 16 ways of CCD 2 for itself, but at least 1 must be left to others "
      "and "
      "the foreign group 'theirs' holds mask ffff; no way is left");
}

TEST_F(Contesting, a_cgroup_that_is_confined_to_our_cpus) {
  expect_the_rest_is_kept(claimed(kWebOwnsNode0,
                                  [&] {
                                    host().make_directory("/sys/fs/cgroup/pinned");
                                    host().write("/sys/fs/cgroup/pinned/cpuset.cpus", "0-3\n");
                                  }),
                          "cgroup /pinned is confined to CPUs 0-3, which are web's alone, by another "
                          "program: let it have some of "
                          "12-23, which others have, or remove its cpuset.cpus");
}

TEST_F(Contesting, a_thread_that_another_group_takes) {
  expect_the_rest_is_kept(
      claimed(kWebHasWays, [&] { host().write("/sys/fs/resctrl/theirs/tasks", std::to_string(db_) + "\n"); }),
      "thread 6 of service 'db' is in resctrl group 'theirs', which is not ours and is never touched: "
      "whoever made it must let the thread go, or the policy must not select it");
}

TEST_F(Contesting, all_threads_of_ours_in_another_group_are_named_along_with_the_ways_that_it_takes) {
  apply(kWebHasWays);
  look(repairing_);
  host().write("/sys/fs/resctrl/theirs/schemata", "L3:2=ffff\n");
  const unsigned more = host().spawn_thread(web_);
  for (const unsigned thread : {web_, web_ + 1, more}) {
    host().write("/sys/fs/resctrl/theirs/tasks", std::to_string(thread) + "\n");
  }
  EXPECT_THAT(
      texts(look(repairing_).found.findings),
      ElementsAre(
          "a part of it is somebody else's now, and is left to them: policy.json:4:64: web wants 12 of "
          "16 ways of CCD 2 for itself, but at least 1 must be left to others and the foreign group "
          "'theirs' holds mask ffff; no way is left",
          "a part of it is somebody else's now, and is left to them: threads " + std::to_string(web_) + ", " +
              std::to_string(web_ + 1) + ", " + std::to_string(more) +
              " of service 'web' are in resctrl group 'theirs', which is not ours and is never "
              "touched: whoever made it must let the threads go, or the policy must not select them"));
}

// Web was planned beside them, and whoever comes later does not move it there.
TEST_F(Contesting, others_who_claim_nothing_keep_what_they_have) {
  for (const bool exclusive : {false, true}) {
    SCOPED_TRACE(exclusive);
    start(sim::amd_12ccd(), "lab-amd-12ccd-nps2");
    repairing_.forget();
    host().write("/sys/fs/resctrl/theirs/schemata", every_ccd("f000"));
    host().make_directory("/sys/fs/resctrl/low");
    host().write("/sys/fs/resctrl/low/schemata", every_ccd("f"));
    if (exclusive) {
      host().write("/sys/fs/resctrl/schemata", every_ccd("ff0"));
      host().write("/sys/fs/resctrl/low/mode", "exclusive\n");
    }
    apply(kWebHasSevenWays);
    const std::string applied = now();
    EXPECT_THAT(texts(look(repairing_).found.findings), IsEmpty());
    host().make_directory("/sys/fs/resctrl/a-tool");  // before the others by its name
    const std::string claimed = now();
    const Look found = look(repairing_);
    EXPECT_THAT(texts(found.found.findings),
                ElementsAre(StartsWith("a part of it is somebody else's now, and is left to them: ")));
    EXPECT_FALSE(found.failure);
    EXPECT_EQ(now(), claimed);
    host().remove_directory("/sys/fs/resctrl/a-tool");
    EXPECT_EQ(now(), applied);
  }
}

TEST_F(Contesting, a_cgroup_that_comes_to_lie_in_another_services) {
  const std::string policy = R"({"bulkhead": 1, "name": "nested", "services": {
    "web": {"select": {"cgroup": "/web"}, "cpus": "all", "l3": "75%"},
    "late": {"select": {"cgroup": "/*/late"}, "cpus": "all", "l3": "25%"}}})";
  expect_the_rest_is_kept(claimed(policy, [&] { host().make_directory("/sys/fs/cgroup/web/late"); }),
                          "policy.json:3:5: cgroup /web/late of 'late' lies inside of /web, all of which is "
                          "'web': select cgroups that lie beside each other");
}

// Who gives it back gets no word, and neither is anything written.
TEST_F(Contesting, is_over_as_soon_as_they_let_go) {
  claimed(kWebHasWays, [&] { host().write("/sys/fs/resctrl/theirs/schemata", "L3:2=ffff\n"); });
  host().write("/sys/fs/resctrl/theirs/schemata", "L3:2=8000\n");
  kernel_->clear_log();
  const Look over = look(repairing_);
  EXPECT_THAT(over.found.findings, IsEmpty());
  EXPECT_EQ(kernel_->log_text(), "");
}

// A new policy is refused for what the one in force is kept in spite of.
TEST_F(Contesting, is_no_reason_to_take_anything_new) {
  claimed(kWebHasWays, [&] { host().write("/sys/fs/resctrl/theirs/schemata", "L3:2=ffff\n"); });
  const std::string before = now();
  EXPECT_THAT(error_of([&] { apply(kWebHasWays); }), StartsWith("policy.json:"));
  EXPECT_EQ(now(), before);
}

// Cgroups and groups are mended apart where the kernel refuses one of both.
TEST_F(Contesting, what_the_kernel_refuses_keeps_the_other_half_from_nothing) {
  apply(kWebOwnsNode0);
  look(repairing_);
  widen();
  host().write("/sys/fs/cgroup/web/cpuset.cpus", "0-2\n");
  kernel_->add_fault(
      {.operation = sim::Operation::write, .path = "*/web/cpuset.cpus", .error = EIO, .always = true});
  const Look found = look(repairing_);
  ASSERT_TRUE(found.failure);
  EXPECT_EQ(found.failure->detail().path, "/sys/fs/cgroup/web/cpuset.cpus");
  EXPECT_THAT(texts(found.repaired), ElementsAre("bulkhead.web: schemata L3:3=ffff (was L3:3=ff)"));
  EXPECT_THAT(texts(found.found.findings),
              ElementsAre(StartsWith("configured CPUs of cgroup /web: expected 0-11"),
                          StartsWith("effective CPUs of cgroup /web: expected 0-11")));
}

}  // namespace
}  // namespace bulkhead

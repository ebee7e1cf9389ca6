// SPDX-License-Identifier: Apache-2.0
// Cgroups that come, go, or begin anew are no drift, and are given their CPUs even where drift is only
// reported.
#include <gmock/gmock.h>

#include "controller/base/text.h"
#include "tests/unit/engine/reconciling_fixture.h"

namespace bulkhead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kWebOwnsNode0;

const auto kWebIsOnCpu1 = ElementsAre("configured CPUs of cgroup /web: expected 0-11, found 1",
                                      "effective CPUs of cgroup /web: expected 0-11, found 1");

class SeenCgroupsTest : public testing::Reconciling {
 protected:
  std::string cpus_of(const std::string& cgroup) {
    return std::string(trim(host().read(cgroup_mount_ + cgroup + "/cpuset.cpus").text));
  }
  void restart_web() {
    host().end(web_);
    host().remove_directory(cgroup_mount_ + "/web");
    host().make_directory(cgroup_mount_ + "/web");
    web_ = host().spawn({.name = "web", .executable = "/usr/bin/web", .cgroup = "/web"});
  }
};

TEST_F(SeenCgroupsTest, a_service_that_restarts_between_two_looks_gets_its_cpus_where_drift_is_reported) {
  apply(kWebOwnsNode0);
  look(reporting_);
  const std::string before = cpus_of("/web");
  ASSERT_NE(before, "");
  restart_web();
  ASSERT_EQ(cpus_of("/web"), "");
  const Look back = look(reporting_);
  EXPECT_THAT(texts(back.drift), IsEmpty());
  EXPECT_THAT(texts(back.found.findings), IsEmpty());
  EXPECT_EQ(cpus_of("/web"), before);
}

TEST_F(SeenCgroupsTest, a_cgroup_that_is_new_is_kept_off_cpus_that_are_others_alone) {
  apply(kWebOwnsNode0);
  for (Reconciler* reconciler : {&reporting_, &repairing_}) {
    look(*reconciler);
    host().make_directory(cgroup_mount_ + "/new");
    const Look came = look(*reconciler);
    EXPECT_THAT(texts(came.drift), IsEmpty());
    EXPECT_THAT(texts(came.repaired), IsEmpty());
    EXPECT_THAT(texts(came.found.findings), IsEmpty());
    EXPECT_NE(cpus_of("/new"), "");
    host().remove_directory(cgroup_mount_ + "/new");
  }
}

TEST_F(SeenCgroupsTest, what_comes_or_is_changed_while_something_is_followed_is_told_apart) {
  apply(kWebOwnsNode0);
  look(reporting_);
  restart_web();
  const Look both = in_a_new_run([&](Engine& engine) {
    engine.on_step([&](std::size_t, std::size_t, const Step&) {
      if (host().list(cgroup_mount_ + "/late").error == 0) return;
      host().make_directory(cgroup_mount_ + "/late");
      host().write(cgroup_mount_ + "/system/cpuset.cpus", "3\n");
    });
    return reporting_.look(engine, now_);
  });
  EXPECT_THAT(
      texts(both.drift),
      ElementsAre(
          "configured CPUs of cgroup /system: expected 12-23, found 3",
          "effective CPUs of cgroup /system: expected 12-23, found 3",
          "CPUs 0-11 are web's alone, but thread 6 may run there: expected only threads of web, found 'db'"));
  EXPECT_NE(cpus_of("/late"), "");
  EXPECT_EQ(cpus_of("/system"), "3");
}

TEST_F(SeenCgroupsTest, what_somebody_changed_stays_drift_at_each_look) {
  apply(kWebOwnsNode0);
  look(reporting_);
  host().write(cgroup_mount_ + "/web/cpuset.cpus", "1\n");
  EXPECT_THAT(texts(look(reporting_).drift), kWebIsOnCpu1);
  for (int looks = 0; looks < 3; ++looks) {
    const Look later = look(reporting_);
    EXPECT_THAT(texts(later.drift), IsEmpty()) << "it was told";
    EXPECT_THAT(texts(later.followed), IsEmpty());
  }
  EXPECT_EQ(cpus_of("/web"), "1");
}

TEST_F(SeenCgroupsTest, what_is_news_is_followed_beside_drift_that_stays) {
  apply(kWebOwnsNode0);
  look(reporting_);
  host().write(cgroup_mount_ + "/web/cpuset.cpus", "1\n");
  host().make_directory(cgroup_mount_ + "/new");
  const Look both = look(reporting_);
  EXPECT_THAT(texts(both.drift), kWebIsOnCpu1);
  EXPECT_NE(cpus_of("/new"), "");
  EXPECT_EQ(cpus_of("/web"), "1");
}

}  // namespace
}  // namespace bulkhead

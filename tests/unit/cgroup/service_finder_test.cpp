// SPDX-License-Identifier: Apache-2.0
#include "cgroup/service_finder.h"

#include <gtest/gtest.h>

#include "tests/support/fixed_file_system.h"
#include "tests/support/model_file_system.h"

namespace bulkhead {
namespace {

using testing::error_of;
using testing::FixedFileSystem;
using Ids = std::vector<unsigned>;
using Paths = std::vector<std::string>;

Select by(SelectKind kind, const std::string& text, std::vector<unsigned> pids = {}) {
  return {.kind = kind, .text = text, .pids = std::move(pids)};
}

class ServiceFinderTest : public ::testing::Test {
 protected:
  ServiceFinderTest() {
    sim::KernelModel& kernel = kernel_.outside();
    for (const char* path : {"/pods", "/pods/one", "/pods/one/inner", "/pods/two", "/web.service"}) {
      EXPECT_EQ(kernel.make_directory(std::string("/sys/fs/cgroup") + path), 0);
    }
    one_ = kernel.spawn({.name = "worker", .executable = "/usr/bin/worker", .cgroup = "/pods/one"});
    inner_ = kernel.spawn(
        {.name = "helper", .executable = "/usr/bin/helper (deleted)", .cgroup = "/pods/one/inner"});
    thread_ = kernel.spawn_thread(inner_);
    two_ = kernel.spawn({.name = "worker", .executable = "/opt/worker", .cgroup = "/pods/two"});
    kernel.spawn_kernel_thread("worker", false, CpuSet::range(0, 23));
  }

  sim::ScriptedKernel kernel_{sim::amd_12ccd(2)};
  testing::ModelFileSystem files_{kernel_};
  ServiceFinder finder_{files_, find_hierarchy(files_)};
  unsigned one_ = 0, inner_ = 0, thread_ = 0, two_ = 0;
};

TEST_F(ServiceFinderTest, a_cgroup_means_its_whole_subtree_with_all_threads) {
  const FoundService found = finder_.find(by(SelectKind::cgroup, "/pods/one"));
  EXPECT_TRUE(found.found);
  EXPECT_EQ(found.cgroups, Paths{"/pods/one"});
  EXPECT_EQ(found.processes, (Ids{one_, inner_}));
  EXPECT_EQ(found.threads, (Ids{one_, inner_, thread_}));
}

TEST_F(ServiceFinderTest, a_pattern_names_the_topmost_matches) {
  EXPECT_EQ(finder_.find(by(SelectKind::cgroup, "/pods/*")).cgroups, (Paths{"/pods/one", "/pods/two"}));
  EXPECT_EQ(finder_.find(by(SelectKind::cgroup, "*/inner")).cgroups, Paths{"/pods/one/inner"});
  EXPECT_EQ(finder_.find(by(SelectKind::cgroup, "/pods/t??")).processes, Ids{two_});
  EXPECT_FALSE(finder_.find(by(SelectKind::cgroup, "/pods/x*")).found);
  EXPECT_FALSE(finder_.find(by(SelectKind::cgroup, "/absent")).found);
}

TEST_F(ServiceFinderTest, an_empty_cgroup_is_found) {
  const FoundService found = finder_.find(by(SelectKind::unit, "web.service"));
  EXPECT_TRUE(found.found);
  EXPECT_EQ(found.cgroups, Paths{"/web.service"});
  EXPECT_EQ(found.processes, Ids{});
  EXPECT_FALSE(finder_.find(by(SelectKind::unit, "db.service")).found);
}

TEST_F(ServiceFinderTest, programs_by_path_pattern_and_after_their_file_was_replaced) {
  EXPECT_EQ(finder_.find(by(SelectKind::exe, "/usr/bin/worker")).processes, Ids{one_});
  EXPECT_EQ(finder_.find(by(SelectKind::exe, "*/worker")).processes, (Ids{one_, two_}));
  const FoundService helper = finder_.find(by(SelectKind::exe, "/usr/bin/helper"));
  EXPECT_EQ(helper.threads, (Ids{inner_, thread_}));
  EXPECT_EQ(helper.cgroups, Paths{"/pods/one/inner"});
}

TEST_F(ServiceFinderTest, names_never_mean_kernel_threads) {
  EXPECT_EQ(finder_.find(by(SelectKind::comm, "worker")).processes, (Ids{one_, two_}));
  unsigned kernel_threads = 0;
  for (const auto& thread : finder_.all_threads())
    kernel_threads += thread.kernel && thread.name == "worker" ? 1 : 0;
  EXPECT_EQ(kernel_threads, 1U);
}

TEST_F(ServiceFinderTest, processes_by_id_as_far_as_they_live) {
  EXPECT_EQ(finder_.find(by(SelectKind::pids, "", {two_, 4'000'000})).processes, Ids{two_});
  EXPECT_FALSE(finder_.find(by(SelectKind::pids, "", {4'000'000})).found);
  kernel_.outside().end(two_);
  EXPECT_FALSE(finder_.find(by(SelectKind::pids, "", {two_})).found);
}

TEST_F(ServiceFinderTest, others_is_not_looked_for) {
  EXPECT_FALSE(finder_.find(by(SelectKind::others, "")).found);
}

TEST(Pidfile, holds_one_process_id) {
  FixedFileSystem files{{"/proc/self/mountinfo", ""}, {"/proc/7/task/7/status", "Name:\tweb\n"},
                        {"/run/web.pid", "7\n"},      {"/run/early.pid", "\n"},
                        {"/run/gone.pid", "8\n"},     {"/run/wrong.pid", "seven\n"}};
  ServiceFinder finder(files, find_hierarchy(files));
  EXPECT_EQ(finder.find(by(SelectKind::pidfile, "/run/web.pid")).threads, Ids{7});
  EXPECT_FALSE(finder.find(by(SelectKind::pidfile, "/run/early.pid")).found);
  EXPECT_FALSE(finder.find(by(SelectKind::pidfile, "/run/gone.pid")).found);
  EXPECT_FALSE(finder.find(by(SelectKind::pidfile, "/run/absent.pid")).found);
  EXPECT_EQ(error_of([&] { finder.find(by(SelectKind::pidfile, "/run/wrong.pid")); }),
            "invalid: a pidfile holds one process id, not 'seven' (/run/wrong.pid)");
}

}  // namespace
}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "cgroup/hierarchy.h"

#include <gtest/gtest.h>

#include "tests/support/fixed_file_system.h"

namespace bulkhead {
namespace {

using testing::FixedFileSystem;

const std::string kUnified = "27 22 0:24 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
const std::string kCgroups = "#subsys_name\thierarchy\tnum_cgroups\tenabled\n";

TEST(Hierarchy, is_v2_where_its_root_offers_cpuset) {
  FixedFileSystem files{{"/proc/self/mountinfo", kUnified},
                        {"/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io\n"}};
  const Hierarchy found = find_hierarchy(files);
  EXPECT_EQ(found.version, CgroupVersion::v2);
  EXPECT_EQ(found.mount_point, "/sys/fs/cgroup");
  EXPECT_EQ(found.service_mount_point, "/sys/fs/cgroup");
  EXPECT_EQ(found.explanation, "");
}

TEST(Hierarchy, is_v1_where_cpuset_is_on_v1_and_services_are_elsewhere) {
  FixedFileSystem files{{"/proc/self/mountinfo",
                         "30 29 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
                         "31 29 0:27 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
                         "33 29 0:29 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"},
                        {"/sys/fs/cgroup/unified/cgroup.controllers", "\n"}};
  const Hierarchy found = find_hierarchy(files);
  EXPECT_EQ(found.version, CgroupVersion::v1);
  EXPECT_EQ(found.mount_point, "/sys/fs/cgroup/cpuset");
  EXPECT_EQ(found.service_mount_point, "/sys/fs/cgroup/unified");
}

struct NoneCase {
  std::string mounts;
  std::string cgroups;
  std::string explanation;
};

TEST(Hierarchy, explains_why_there_is_none) {
  const NoneCase cases[] = {
      {"", kCgroups + "cpuset\t0\t2\t1\n",
       "no cgroup hierarchy with cpusets is mounted: run 'mount -t cgroup2 cgroup2 /sys/fs/cgroup'"},
      {kUnified, kCgroups + "cpu\t0\t2\t1\n",
       "this kernel was built without cpusets: use one with CONFIG_CPUSETS=y"},
      {kUnified, kCgroups + "cpuset\t0\t1\t0\n",
       "cpusets are switched off: take 'cgroup_disable=cpuset' away from the kernel's command line and boot "
       "again"},
      {kUnified, kCgroups + "cpuset\t4\t1\t1\n",
       "the cpuset controller belongs to a cgroup v1 hierarchy that is not mounted here: run 'mount -t "
       "cgroup -o "
       "cpuset cpuset /sys/fs/cgroup/cpuset'"},
      {kUnified, kCgroups + "cpuset\t0\t1\t1\n",
       "the cgroup tree on /sys/fs/cgroup has no cpuset controller, as in a container that was not given it: "
       "run "
       "bulkhead on the host"},
  };
  for (const NoneCase& test : cases) {
    FixedFileSystem files{{"/proc/self/mountinfo", test.mounts},
                          {"/proc/cgroups", test.cgroups},
                          {"/sys/fs/cgroup/cgroup.controllers", "memory\n"}};
    const Hierarchy found = find_hierarchy(files);
    EXPECT_EQ(found.version, CgroupVersion::none);
    EXPECT_EQ(found.explanation, test.explanation);
  }
}

TEST(Cpuset, without_files_of_its_own_has_what_its_ancestor_has) {
  FixedFileSystem files{{"/c/cpuset.cpus.effective", "0-7\n"},
                        {"/c/cpuset.mems.effective", "0\n"},
                        {"/c/a/cpuset.cpus", "0-3\n"},
                        {"/c/a/cpuset.mems", "\n"},
                        {"/c/a/cpuset.cpus.effective", "0-3\n"},
                        {"/c/a/cpuset.mems.effective", "0\n"},
                        {"/c/a/cpuset.cpus.partition", "member\n"},
                        {"/c/a/b/cgroup.procs", ""}};
  const auto root = files.open_directory("/c");
  const ObservedCpuset a = read_cpuset(*root, CgroupVersion::v2, "/a");
  EXPECT_TRUE(a.controlled);
  EXPECT_EQ(a.cpus, CpuSet::range(0, 3));
  EXPECT_EQ(a.memory_nodes, CpuSet{});
  EXPECT_EQ(a.partition, "member");
  const ObservedCpuset b = read_cpuset(*root, CgroupVersion::v2, "/a/b");
  EXPECT_FALSE(b.controlled);
  EXPECT_EQ(b.cpus, CpuSet{});
  EXPECT_EQ(b.effective_cpus, CpuSet::range(0, 3));
  EXPECT_EQ(read_cpuset(*root, CgroupVersion::v2, "/").effective_cpus, CpuSet::range(0, 7));
  EXPECT_EQ(testing::error_of([&] { read_cpuset(*root, CgroupVersion::v2, "/x"); }),
            "not_found: there is no such cgroup (/c/x: No such file or directory)");
  EXPECT_EQ(children_of(*root, "/"), std::vector<std::string>{"/a"});
  EXPECT_EQ(children_of(*root, "/a"), std::vector<std::string>{"/a/b"});
  EXPECT_EQ(children_of(*root, "/x"), std::vector<std::string>{});
  EXPECT_EQ(parent_cgroup("/a/b"), "/a");
  EXPECT_EQ(parent_cgroup("/a"), "/");
}

}  // namespace
}  // namespace bulkhead

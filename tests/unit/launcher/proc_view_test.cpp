// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/proc_view.h"

#include <gtest/gtest.h>

namespace bulkhead::sim {
namespace {

TEST(ProcView, knows_what_is_modelled) {
  for (const char* path :
       {"/", "/proc/cpuinfo", "/proc/filesystems", "/proc/mounts", "/proc/self", "/proc/12/status",
        "/proc/12/cgroup", "/proc/12/mountinfo", "/proc/12/task", "/proc/12/task/13/status",
        "/proc/12/cpu_resctrl_groups", "/proc/12/stat", "/sys/fs/resctrl", "/sys/fs/resctrl/a/tasks",
        "/sys/fs/cgroup/a/cpuset.cpus", "/sys/devices/system/cpu/cpu3/cache/index3/id",
        "/sys/devices/system/node/node0"}) {
    EXPECT_EQ(place_of(path), Place::modelled) << path;
  }
  for (const char* path :
       {"/proc", "/proc/12", "/proc/12/task/13", "/sys", "/sys/fs", "/sys/devices", "/sys/devices/system"}) {
    EXPECT_EQ(place_of(path), Place::folder) << path;
  }
  for (const char* path :
       {"/proc/meminfo", "/proc/sys", "/proc/12/fd", "/proc/12/task/13/comm", "/sys/class",
        "/sys/fs/ext4", "/sys/devices/pci0000:00", "/sys/devices/system/memory"}) {
    EXPECT_EQ(place_of(path), Place::linked) << path;
  }
  for (const char* path : {"/proc/12/exe", "/proc/12/cwd", "/proc/12/task/13/root"}) {
    EXPECT_EQ(place_of(path), Place::real_link) << path;
  }
  EXPECT_EQ(place_of("/proc/.real"), Place::real_root);
  EXPECT_EQ(place_of("/sys/.real"), Place::real_root);
}

TEST(ProcView, links_go_to_the_same_path_of_the_real_one) {
  EXPECT_EQ(real_path("/proc/12/fd"), "/proc/.real/12/fd");
  EXPECT_EQ(real_path("/sys/class"), "/sys/.real/class");
  EXPECT_EQ(real_path("/proc"), "/proc/.real");
}

TEST(ProcView, a_status_is_the_real_one_on_modelled_cpus) {
  EXPECT_EQ(merged_status("Name:\tsh\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\nThreads:\t1\n",
                          "Name:\tmodel\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\n"),
            "Name:\tsh\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\nThreads:\t1\n");
}

TEST(ProcView, stat_has_the_cpu_of_the_model_and_all_else_from_the_real_thread) {
  std::string real = "7 (a ) b) S", modelled = "7 (model) S";
  for (int field = 4; field <= 52; ++field) {
    real += ' ' + std::to_string(field);
    modelled += ' ' + std::to_string(1000 + field);
  }
  std::string merged = real;
  merged.replace(merged.find(" 39 "), 4, " 1039 ");
  EXPECT_EQ(merged_stat(real + '\n', modelled + '\n'), merged + '\n');
  EXPECT_EQ(merged_stat("", modelled), "");
}

TEST(ProcView, mounts_are_modelled_below_proc_and_sys_only) {
  constexpr std::size_t kTarget = 1;
  EXPECT_EQ(merged_mounts(
                "/dev/vda1 / ext4 rw 0 0\nbulkhead-sim /proc fuse rw 0 0\ntmpfs /tmp tmpfs rw 0 0\n"
                "bulkhead-sim /sys/fs/resctrl fuse rw 0 0\n",
                "/dev/model / ext4 rw 0 0\nproc /proc proc rw 0 0\nresctrl /sys/fs/resctrl resctrl rw 0 0\n",
                kTarget),
            "/dev/vda1 / ext4 rw 0 0\ntmpfs /tmp tmpfs rw 0 0\nproc /proc proc rw 0 0\n"
            "resctrl /sys/fs/resctrl resctrl rw 0 0\n");
}

}  // namespace
}  // namespace bulkhead::sim

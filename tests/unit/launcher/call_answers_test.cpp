// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/call_answers.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace bulkhead::sim {
namespace {

// This thread calls; in the model it is a task of the first cgroup.
class CallAnswers : public testing::Test {
 protected:
  CallAnswers() {
    host_.with_kernel([&](ScriptedKernel& kernel) {
      kernel.outside().adopt(self_.id(), self_.id(), 1, {.name = "caller"});
      return 0;
    });
  }

  static std::uint64_t address_of(const void* data) { return reinterpret_cast<std::uint64_t>(data); }
  CallAnswer call(long number, std::array<std::uint64_t, 6> arguments) {
    return answer_call(host_, {.number = static_cast<int>(number), .arguments = arguments}, self_);
  }
  // An errno, or -1 for what the real kernel is to do.
  static int error_of(const CallAnswer& answer) { return answer.let_through ? -1 : answer.error; }

  int mount(const char* type, const char* target, const char* data = nullptr, unsigned long flags = 0) {
    return error_of(call(SYS_mount, {0, address_of(target), address_of(type), flags, address_of(data)}));
  }
  int unmount(const char* target, unsigned flags = 0) {
    return error_of(call(SYS_umount2, {address_of(target), flags}));
  }
  CallAnswer set_affinity(std::uint64_t thread, const std::string& mask) {
    return call(SYS_sched_setaffinity, {thread, mask.size(), address_of(mask.data())});
  }
  CallAnswer affinity(std::uint64_t thread, std::string& mask) {
    return call(SYS_sched_getaffinity, {thread, mask.size(), address_of(mask.data())});
  }
  std::string read(const std::string& path) {
    return host_.with_kernel([&](ScriptedKernel& kernel) { return kernel.outside().read(path).text; });
  }
  int write(const std::string& path, const std::string& text) {
    return host_.with_kernel([&](ScriptedKernel& kernel) { return kernel.outside().write(path, text); });
  }

  SimulatedHost host_{amd_12ccd()};  // 24 CPUs
  const RealThread self_{"/proc", static_cast<unsigned>(gettid())};
};

TEST_F(CallAnswers, affinity_is_that_of_simulated_cpus) {
  std::string mask(16, 'x');
  const CallAnswer first = affinity(0, mask);
  EXPECT_EQ(first.error, 0);
  EXPECT_EQ(first.value, 8);  // the kernel's own mask is one word; the rest of the buffer stays
  EXPECT_EQ(mask, std::string("\xff\xff\xff\0\0\0\0\0xxxxxxxx", 16));
  EXPECT_EQ(set_affinity(0, std::string("\0\0\xc0\x01", 4)).error,
            0);  // CPUs 22, 23, and 24 that is not there
  affinity(self_.id(), mask);
  EXPECT_EQ(mask.substr(0, 8), std::string("\0\0\xc0\0\0\0\0\0", 8));
}

TEST_F(CallAnswers, affinity_keeps_to_the_cgroup) {
  EXPECT_EQ(write("/sys/fs/cgroup/cgroup.subtree_control", "+cpuset"), 0);
  host_.make_directory("/sys/fs/cgroup/g", {});
  EXPECT_EQ(write("/sys/fs/cgroup/g/cpuset.cpus", "0-3"), 0);
  EXPECT_EQ(write("/sys/fs/cgroup/g/cgroup.procs", std::to_string(self_.id())), 0);
  EXPECT_EQ(set_affinity(0, "\xf8").error, 0);
  std::string mask(8, '\0');
  affinity(0, mask);
  EXPECT_EQ(mask, std::string("\x08\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(set_affinity(0, "\xf0").error, EINVAL);
}

TEST_F(CallAnswers, affinity_is_refused_as_the_kernel_does) {
  std::string small(2, '\0');
  EXPECT_EQ(affinity(0, small).error, EINVAL);  // 16 bits for 24 CPUs
  std::string uneven(12, '\0');
  EXPECT_EQ(affinity(0, uneven).error, EINVAL);
  std::string mask(8, '\xff');
  EXPECT_EQ(affinity(4000000, mask).error, ESRCH);
  EXPECT_EQ(set_affinity(4000000, mask).error, ESRCH);
  EXPECT_EQ(set_affinity(static_cast<std::uint32_t>(-1), mask).error, ESRCH);
  EXPECT_EQ(set_affinity(2, mask).error, EINVAL);  // kthreadd
  EXPECT_EQ(call(SYS_sched_setaffinity, {0, 8, 0}).error, EFAULT);
  EXPECT_EQ(call(SYS_sched_getaffinity, {0, 8, 0}).error, EFAULT);
  EXPECT_EQ(set_affinity(0, std::string(8, '\0')).error, EINVAL);
}

TEST_F(CallAnswers, resctrl_is_mounted_once) {
  EXPECT_EQ(mount("resctrl", "/sys/fs/resctrl"), EBUSY);
  EXPECT_EQ(mount("resctrl", "/mnt"), EBUSY);
  EXPECT_EQ(unmount("/sys/fs/resctrl/"), 0);
  EXPECT_EQ(read("/proc/1/mounts").find("resctrl"), std::string::npos);
  EXPECT_EQ(unmount("/sys/fs/resctrl"), EINVAL);
  EXPECT_EQ(mount("resctrl", "/sys/fs/resctrl", "foo"), EINVAL);
  EXPECT_EQ(mount("resctrl", "/mnt"), EPERM);  // on Linux it could be there
  EXPECT_EQ(mount("resctrl", "/sys/fs/resctrl", "cdp", MS_RDONLY | MS_NOSUID), 0);
  EXPECT_NE(read("/proc/1/mounts").find("resctrl /sys/fs/resctrl resctrl ro,relatime,cdp 0 0\n"),
            std::string::npos);
}

TEST_F(CallAnswers, flags_of_unmounting_are_checked) {
  EXPECT_EQ(unmount("/sys/fs/resctrl", 1U << 20), EINVAL);
  EXPECT_EQ(unmount("/sys/fs/resctrl", MNT_DETACH), 0);
}

TEST_F(CallAnswers, what_is_served_stays_and_is_not_mounted_again) {
  EXPECT_EQ(mount("cgroup2", "/sys/fs/cgroup"), EBUSY);
  EXPECT_EQ(mount("cgroup2", "/mnt"), EPERM);
  EXPECT_EQ(mount("cgroup", "/mnt"), ENODEV);  // this host has no v1
  EXPECT_EQ(unmount("/sys/fs/cgroup"), EBUSY);
  EXPECT_EQ(unmount("/sys", MNT_DETACH), EBUSY);
  EXPECT_EQ(unmount("/proc"), EBUSY);
  EXPECT_EQ(unmount("/sys/devices"), EINVAL);
}

TEST_F(CallAnswers, all_else_is_the_real_kernels) {
  EXPECT_EQ(mount("tmpfs", "/mnt"), -1);
  EXPECT_EQ(mount("resctrl", "/mnt", nullptr, MS_BIND), -1);
  EXPECT_EQ(mount(nullptr, "/mnt"), -1);
  EXPECT_EQ(unmount("/mnt"), -1);
  EXPECT_EQ(unmount("/system"), -1);
  EXPECT_EQ(error_of(call(SYS_fsopen, {address_of("tmpfs")})), -1);
  EXPECT_EQ(error_of(call(SYS_getpid, {})), -1);
}

TEST_F(CallAnswers, modelled_filesystems_are_mounted_by_the_old_call_only) {
  for (const char* type : {"resctrl", "cgroup2", "cgroup"}) {
    EXPECT_EQ(error_of(call(SYS_fsopen, {address_of(type)})), ENOSYS) << type;
  }
}

TEST_F(CallAnswers, a_host_without_resctrl_does_not_know_it) {
  SimulatedHost none(no_rdt());
  const char* const target = "/sys/fs/resctrl";
  const Call call{.number = SYS_mount, .arguments = {0, address_of(target), address_of("resctrl"), 0, 0, 0}};
  EXPECT_EQ(error_of(answer_call(none, call, self_)), ENODEV);
}

}  // namespace
}  // namespace bulkhead::sim

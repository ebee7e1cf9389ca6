// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/mount_calls.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <linux/capability.h>
#include <sys/mount.h>

#include "controller/base/text.h"
#include "simulator/launcher/open_files.h"

namespace bulkhead::sim {
namespace {

const std::string kResctrl = "/sys/fs/resctrl";

bool is_modelled(const std::string& type) {
  constexpr std::array<std::string_view, 3> kTypes = {"cgroup", "cgroup2", "resctrl"};
  return std::ranges::find(kTypes, type) != kTypes.end();
}

// Flags that are options in the model's words.
std::string options_of(unsigned long flags, const std::string& data) {
  constexpr std::array<std::pair<unsigned long, const char*>, 4> kOptions = {
      {{MS_RDONLY, "ro"}, {MS_NOSUID, "nosuid"}, {MS_NODEV, "nodev"}, {MS_NOEXEC, "noexec"}}};
  std::vector<std::string> options;
  for (const auto& [flag, option] : kOptions) {
    if ((flags & flag) != 0) options.emplace_back(option);
  }
  if (!data.empty()) options.push_back(data);
  return join(options, ",");
}

bool knows(KernelModel& kernel, const std::string& type) {
  const std::string filesystems = kernel.read("/proc/filesystems").text;
  const auto lines = split(std::string_view(filesystems), '\n');
  return std::ranges::any_of(lines, [&](std::string_view line) { return line.ends_with('\t' + type); });
}

bool is_mounted(KernelModel& kernel, const std::string& target) {
  return kernel.read("/proc/1/mounts").text.find(' ' + target + ' ') != std::string::npos;
}

// A filesystem of which there is one only can be nowhere else while it is mounted; the model has each at its
// usual place or nowhere.
int mount_modelled(ScriptedKernel& scripted, const std::string& type, const std::string& target,
                   const std::string& options) {
  KernelModel& kernel = scripted.outside();
  if (!knows(kernel, type)) return ENODEV;
  if (type == "resctrl" && target == kResctrl) return scripted.mount(type, target, options);
  return is_mounted(kernel, type == "resctrl" ? kResctrl : target) ? EBUSY : EPERM;
}

int unmount_resctrl(SimulatedHost& host, unsigned long flags) {
  constexpr unsigned long kKnown = MNT_FORCE | MNT_DETACH | MNT_EXPIRE | UMOUNT_NOFOLLOW;
  if ((flags & ~kKnown) != 0) return EINVAL;
  const bool has_tasks = !host.real_root().empty();
  const bool is_held =
      (flags & MNT_DETACH) == 0 && has_tasks && is_held_open(host.real_root() + "/proc", kResctrl);
  return host.with_tasks([&](ScriptedKernel& kernel) {
    const bool is_there = is_mounted(kernel.outside(), kResctrl);
    return is_there && is_held ? EBUSY : kernel.outside().unmount(kResctrl);
  });
}

bool may_mount(const RealThread& caller) {
  return caller.credentials().has(CAP_SYS_ADMIN);
}

}  // namespace

CallAnswer answer_mount(SimulatedHost& host, const Call& call, const RealThread& caller) {
  constexpr unsigned long kChanges =
      MS_BIND | MS_MOVE | MS_SHARED | MS_PRIVATE | MS_SLAVE | MS_UNBINDABLE | MS_REMOUNT;
  const std::uint64_t flags = call.arguments[3];
  const std::uint64_t data = call.arguments[4];
  const auto type = caller.text_at(call.arguments[2]);
  if ((flags & kChanges) != 0 || !type || !is_modelled(*type)) return kLetThrough;
  const auto path = caller.text_at(call.arguments[1]);
  const auto options = data == 0 ? std::string() : caller.text_at(data);
  if (!path || !options) return {.error = EFAULT};
  if (!may_mount(caller)) return {.error = EPERM};
  return {.error = host.with_tasks([&](ScriptedKernel& kernel) {
    return mount_modelled(kernel, *type, caller.absolute(*path), options_of(flags, *options));
  })};
}

CallAnswer answer_unmount(SimulatedHost& host, const Call& call, const RealThread& caller) {
  const auto path = caller.text_at(call.arguments[0]);
  if (!path) return {.error = EFAULT};
  const std::string target = caller.absolute(*path);
  const auto top = target.substr(0, target.find('/', 1));
  if (top != "/proc" && top != "/sys") return kLetThrough;
  if (!may_mount(caller)) return {.error = EPERM};
  if (target == kResctrl) return {.error = unmount_resctrl(host, call.arguments[1])};
  // What is served stays: behind it would be the real host.
  return {.error = host.with_kernel(
              [&](ScriptedKernel& kernel) { return is_mounted(kernel.outside(), target) ? EBUSY : EINVAL; })};
}

// Who gets this answer, which is that of Linux before 5.2, goes on with mount(2).
CallAnswer answer_open_filesystem(SimulatedHost&, const Call& call, const RealThread& caller) {
  const auto type = caller.text_at(call.arguments[0]);
  if (!type || !is_modelled(*type)) return kLetThrough;
  return {.error = ENOSYS};
}

}  // namespace bulkhead::sim

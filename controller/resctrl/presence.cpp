// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "controller/base/text.h"
#include "controller/kernel/mounts.h"
#include "controller/kernel/paths.h"
#include "controller/resctrl/capabilities_reader.h"

namespace bulkhead {
namespace {

// Flags of /proc/cpuinfo that mean some part of resctrl. On their own "rdt_a" and "cqm" allocate and count
// nothing.
constexpr std::array<std::string_view, 14> kFlags{
    "rdt_a", "cat_l3",  "cat_l2",        "cdp_l3",        "cdp_l2",        "mba",  "smba",
    "cqm",   "cqm_llc", "cqm_occup_llc", "cqm_mbm_total", "cqm_mbm_local", "bmec", "abmc"};

// Options that change what resctrl offers.
constexpr std::array<std::string_view, 4> kMountOptions{"cdp", "cdpl2", "mba_MBps", "debug"};

std::vector<std::string> flags_in(std::string_view cpuinfo) {
  std::vector<std::string> found;
  for (const std::string_view line : split(cpuinfo, '\n')) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || trim(line.substr(0, colon)) != "flags") continue;
    for (const std::string_view flag : split(line.substr(colon + 1), ' ')) {
      if (std::find(kFlags.begin(), kFlags.end(), flag) != kFlags.end()) found.emplace_back(flag);
    }
    return found;  // every CPU has a line; one is enough
  }
  return found;
}

bool knows_filesystem(std::string_view filesystems, std::string_view type) {
  for (const std::string_view line : split(filesystems, '\n')) {
    const auto tab = line.find('\t');
    if (tab != std::string_view::npos && trim(line.substr(tab)) == type) return true;
  }
  return false;
}

// The mount that programs use: in its usual place if there is one.
const Mount* pick_mount(const std::vector<Mount>& mounts) {
  const Mount* found = nullptr;
  for (const Mount& mount : mounts) {
    if (mount.type != "resctrl" || mount.root != "/") continue;
    if (found == nullptr || mount.point == paths::kResctrl) found = &mount;
  }
  return found;
}

void describe_mount(const Mount& mount, ResctrlPresence& presence) {
  presence.state = ResctrlState::mounted;
  presence.mount_point = mount.point;
  presence.read_only = mount.read_only;
  std::vector<std::string> options;
  for (const std::string_view option : kMountOptions) {
    if (mount.has_option(option)) options.emplace_back(option);
  }
  presence.mount_options = join(options, ",");
  if (mount.read_only) {
    presence.explanation = "resctrl is mounted read-only on " + mount.point +
                           ": allow changes with 'mount -o remount,rw " + mount.point + "'";
  }
}

std::string switched_off_remedy(std::string_view command_line) {
  for (const std::string_view word : split(trim(command_line), ' ')) {
    if (word.starts_with("rdt=")) {
      return "the kernel's command line says '" + std::string(word) + "': take that away and boot again";
    }
  }
  return "add 'rdt=l3cat,mba,cmt,mbmtotal,mbmlocal' to the kernel's command line and boot again, or use a "
         "newer kernel";
}

void explain_absence(Directory& proc, ResctrlPresence& presence) {
  const std::string flags = join(presence.cpu_flags, " ");
  const bool built_in = proc.exists("self/cpu_resctrl_groups");
  if (presence.cpu_flags.empty()) {
    presence.state = ResctrlState::no_feature;
    presence.explanation =
        "this processor has no cache or bandwidth control (its flags in cpuinfo lack rdt_a, cat_l3, mba and "
        "cqm): "
        "cpusets can still be used; in a virtual machine the hypervisor hides the feature";
  } else if (!built_in) {
    presence.state = ResctrlState::no_kernel;
    presence.explanation = "this kernel was built without resctrl, though the processor has " + flags +
                           ": use a kernel with CONFIG_X86_CPU_RESCTRL=y";
  } else {
    presence.state = ResctrlState::switched_off;
    presence.explanation = "the processor has " + flags + ", but the kernel does not offer resctrl: " +
                           switched_off_remedy(proc.read_if_there("cmdline").value_or(""));
  }
}

}  // namespace

std::string_view to_string(ResctrlState state) {
  constexpr std::array<std::string_view, 5> kWords{"mounted", "not_mounted", "switched_off", "no_kernel",
                                                   "no_feature"};
  return kWords[static_cast<std::size_t>(state)];
}

ResctrlPresence find_resctrl(FileSystem& files) {
  ResctrlPresence presence{.mount_point = std::string(paths::kResctrl)};
  const auto proc = files.open_directory(std::string(paths::kProc));
  presence.cpu_flags = flags_in(proc->read_if_there("cpuinfo").value_or(""));
  const std::vector<Mount> mounts = parse_mountinfo(proc->read("self/mountinfo"));
  if (const Mount* mount = pick_mount(mounts)) {
    describe_mount(*mount, presence);
  } else if (knows_filesystem(proc->read_if_there("filesystems").value_or(""), "resctrl")) {
    presence.state = ResctrlState::not_mounted;
    presence.explanation = "resctrl is not mounted: run 'mount -t resctrl resctrl " + presence.mount_point +
                           "', or let bulkhead do it with --mount";
  } else {
    explain_absence(*proc, presence);
  }
  return presence;
}

}  // namespace bulkhead

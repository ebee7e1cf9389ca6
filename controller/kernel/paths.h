// SPDX-License-Identifier: Apache-2.0
// Where Linux has its files. No other file of the tree spells these paths (tests/check_layers.py holds it to
// that).
#pragma once

#include <string>
#include <string_view>

namespace bulkhead::paths {

inline constexpr std::string_view kResctrl = "/sys/fs/resctrl";
inline constexpr std::string_view kCgroup = "/sys/fs/cgroup";
inline constexpr std::string_view kCpu = "/sys/devices/system/cpu";
inline constexpr std::string_view kNode = "/sys/devices/system/node";
inline constexpr std::string_view kEventSources = "/sys/bus/event_source/devices";  // PMUs
inline constexpr std::string_view kProc = "/proc";
inline constexpr std::string_view kKernelRandom = "/proc/sys/kernel/random";  // has "boot_id" in it
inline constexpr std::string_view kOwnProgram = "/proc/self/exe";
inline constexpr std::string_view kOwnDescriptors = "/proc/self/fd";
inline constexpr std::string_view kRuntime = "/run/bulkhead";             // journal, baseline, active policy
inline constexpr std::string_view kStateDirectory = "/var/lib/bulkhead";  // what outlives a reboot
inline constexpr std::string_view kLogs = "/var/log/bulkhead";
inline constexpr std::string_view kConfiguration = "/etc/bulkhead/bulkheadd.json";
inline constexpr std::string_view kSystemdMark = "/run/systemd";  // has "system" in it where systemd is PID 1

// Where the daemon of that runtime directory listens; an empty one is the usual.
inline std::string socket_in(const std::string& runtime_directory) {
  return (runtime_directory.empty() ? std::string(kRuntime) : runtime_directory) + "/bulkhead.sock";
}

}  // namespace bulkhead::paths

// SPDX-License-Identifier: Apache-2.0
// What of /proc and /sys is modelled, what is a link to the real thing, and texts that are half and half.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bulkhead::sim {

enum class Place {
  modelled,   // the modelled kernel has it
  folder,     // modelled, with links to what really is there besides
  real_link,  // a link whose text is the real link's: /proc/PID/exe
  linked,     // a link to the real thing
  real_root,  // where the real filesystem is mounted
};

// Of an absolute path in the served tree.
Place place_of(std::string_view path);

// The real counterpart: "/proc/.real/12/fd" for "/proc/12/fd", "/sys/.real/class" for "/sys/class".
std::string real_path(std::string_view path);

// The process that a path below /proc is about.
std::optional<unsigned> process_in(std::string_view path);

// Files below /proc whose text is half real, half modelled: as the merged_...() below have it.
bool is_half_real(std::string_view path);
std::string half_real(std::string_view path, std::string_view real, std::string_view modelled);

// /proc/PID/status with the CPUs and memory nodes of the model.
std::string merged_status(std::string_view real, std::string_view modelled);

// /proc/PID/stat with the CPU on which it ran last from the model.
std::string merged_stat(std::string_view real, std::string_view modelled);

// /proc/PID/mounts or mountinfo: the real ones outside of /proc and /sys, and the modelled ones there.
// `column` is where the mount point stands.
std::string merged_mounts(std::string_view real, std::string_view modelled, std::size_t column);

}  // namespace bulkhead::sim

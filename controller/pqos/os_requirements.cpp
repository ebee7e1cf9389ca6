// SPDX-License-Identifier: Apache-2.0
#include "controller/pqos/os_requirements.h"

#include <algorithm>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/pqos/abilities.h"
#include "controller/resctrl/class_name.h"

namespace bulkhead {
namespace {

[[noreturn]] void refuse(ErrorCode code, const std::string& why, const std::string& remedy = {}) {
  throw Error(code, why + ": " + (remedy.empty() ? "" : remedy + ", or ") + "use --actuator resctrl");
}

void refuse_groups(const std::vector<ObservedGroup>& groups, bool in_force) {
  std::vector<std::string> others;
  for (const ObservedGroup& group : groups) {
    if (group.name.empty() || (in_force && parse_class_name(group.name))) continue;
    others.push_back(group.name);
  }
  if (others.empty()) return;
  refuse(ErrorCode::conflict,
         "libpqos takes every CLOSID, and " + join(others, ", ") +
             (others.size() == 1 ? " holds one" : " hold some"),
         "remove what is not needed (rmdir)");
}

void refuse_io_alloc(FileSystem& files, const std::string& mount_point) {
  const auto root = files.open_directory_if_there(mount_point);
  const std::string word(trim(root ? root->read_if_there("info/L3/io_alloc").value_or("") : ""));
  if (word != "enabled") return;
  refuse(ErrorCode::conflict, "libpqos takes every CLOSID, and I/O has one (info/L3/io_alloc is enabled)",
         "disable it");
}

void refuse_bandwidth(const Capabilities& capabilities) {
  if (!capabilities.memory) return;
  const BandwidthCapability& memory = *capabilities.memory;
  if (memory.unit == BandwidthUnit::mib_per_second) {
    refuse(ErrorCode::unsupported, "resctrl is mounted with mba_MBps, which libpqos finds out by writing",
           "mount it without");
  }
  if (memory.unit != BandwidthUnit::eighth_gb || memory.unlimited <= kLargestPqosBandwidthOnAmd) return;
  refuse(ErrorCode::unsupported, "the machine's unlimited bandwidth is " + std::to_string(memory.unlimited) +
                                     ", and libpqos takes values above " +
                                     std::to_string(kLargestPqosBandwidthOnAmd) + " for another unit");
}

void refuse_cache_ids(const Machine& machine) {
  for (const Ccd& ccd : machine.ccds) {
    if (ccd.id.value >= kPqosCacheIds) {
      refuse(ErrorCode::unsupported, "libpqos mistakes L3 ids from " + std::to_string(kPqosCacheIds) +
                                         " on, and this machine has " + to_string(ccd.id));
    }
    // What it takes for a cache's id is the socket's.
    if (machine.vendor != "amd" && ccd.id.value != ccd.socket.value) {
      refuse(ErrorCode::unsupported, "libpqos addresses an L3 by its socket, and here L3 " +
                                         to_string(ccd.id) + " is on socket " + to_string(ccd.socket));
    }
  }
}

}  // namespace

void refuse_for_pqos_os(FileSystem& files, const ResctrlPresence& presence, const Machine& machine,
                        const Capabilities& capabilities, const std::vector<ObservedGroup>& groups,
                        bool in_force) {
  if (presence.state != ResctrlState::mounted) {
    throw Error(ErrorCode::unsupported,
                "libpqos would mount resctrl, and nothing else knows of it then: " + presence.explanation);
  }
  refuse_cache_ids(machine);
  refuse_groups(groups, in_force);
  refuse_io_alloc(files, presence.mount_point);
  refuse_bandwidth(capabilities);
}

}  // namespace bulkhead

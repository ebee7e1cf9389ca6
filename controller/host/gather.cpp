// SPDX-License-Identifier: Apache-2.0
#include "controller/host/gather.h"

#include <algorithm>
#include <unistd.h>

#include "cgroup/units.h"
#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/host/gather_counters.h"
#include "controller/kernel/paths.h"
#include "controller/resctrl/resctrl_actuator.h"
#include "controller/topology/hwloc_loader.h"

namespace bulkhead {
namespace {

void gather_resctrl(FileSystem& files, HostFacts& facts) {
  ResctrlActuator resctrl(files);
  facts.presence = resctrl.presence();
  if (!resctrl.mounted()) return;
  try {
    facts.capabilities = resctrl.capabilities(facts.machine.vendor);
    for (const ObservedGroup& group : resctrl.observe()) {
      if (group.name.empty()) {
        facts.default_monitoring = group.monitoring.size();
      } else {
        facts.groups.push_back({group.name, group.ours(), group.monitoring.size()});
      }
    }
  } catch (const Error& error) {
    facts.resctrl_problem = error.what();
  }
}

bool gives_cpuset(FileSystem& files, const Hierarchy& hierarchy) {
  if (hierarchy.version != CgroupVersion::v2) return hierarchy.version == CgroupVersion::v1;
  const auto root = files.open_directory_if_there(hierarchy.mount_point);
  const std::string enabled = root ? root->read_if_there("cgroup.subtree_control").value_or("") : "";
  const std::vector<std::string_view> words = split(trim(enabled), ' ');
  return std::find(words.begin(), words.end(), "cpuset") != words.end();
}

}  // namespace

HostFacts gather_host(FileSystem& files) {
  HostFacts facts;
  const auto proc = files.open_directory(std::string(paths::kProc));
  facts.kernel = trim(proc->read_if_there("sys/kernel/osrelease").value_or(""));
  facts.user = ::geteuid();
  facts.machine = load_live_machine();
  gather_resctrl(files, facts);
  facts.counters = gather_counters(files, *make_linux_perf_system(), facts);
  facts.hierarchy = find_hierarchy(files);
  facts.cpuset_enabled = gives_cpuset(files, facts.hierarchy);
  facts.systemd = runs_systemd(files);
  return facts;
}

}  // namespace bulkhead

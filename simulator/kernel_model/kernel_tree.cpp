// SPDX-License-Identifier: Apache-2.0
// The folders above the modelled filesystems.
#include "simulator/kernel_model/kernel_model.h"

namespace bulkhead::sim {

Node KernelModel::root_directory() {
  return directory({
      {"proc", [this] { return proc_.root_directory(); }},
      {"run",
       [this] {
         if (!world_.shape.systemd) return directory({});
         return directory({{"systemd", [] {
                              return directory({{"system", [] { return directory({}); }}});
                            }}});
       }},
      {"sys", [this] { return system_directory(); }},
  });
}

Node KernelModel::system_directory() {
  return directory({
      {"devices",
       [this] {
         return directory({{"system", [this] {
                              return directory({{"cpu", [this] { return sysfs_.cpus_directory(); }},
                                                {"node", [this] { return sysfs_.nodes_directory(); }}});
                            }}});
       }},
      {"fs", [this] { return filesystems_directory(); }},
  });
}

Node KernelModel::filesystems_directory() {
  Entries entries{{"cgroup", [this] { return cgroup_directory(); }}};
  if (world_.shape.has_resctrl()) {
    entries.emplace_back("resctrl", [this] { return resctrl_.root_directory(); });
  }
  return directory(std::move(entries));
}

Node KernelModel::cgroup_directory() {
  if (v1_) {
    return directory({{"cpuset", [this] { return v1_->root_directory(); }},
                      {"unified", [this] { return v2_->root_directory(); }}});
  }
  return v2_ ? v2_->root_directory() : directory({});
}

}  // namespace bulkhead::sim

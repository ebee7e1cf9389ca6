// SPDX-License-Identifier: Apache-2.0
// The folders above the modelled filesystems, and sysfs as far as it matters: CPUs and nodes.
#include <cerrno>

#include "simulator/kernel_model/kernel_model.h"
#include "simulator/kernel_model/kernel_text.h"

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
                              return directory({{"cpu", [this] { return cpus_directory(); }},
                                                {"node", [this] { return nodes_directory(); }}});
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

Node KernelModel::cpus_directory() {
  Entries entries{
      {"online", [this] { return text_file(world_.online.to_list()); }},
      {"offline", [this] { return text_file((world_.shape.all_cpus() - world_.online).to_list()); }},
      {"possible", [this] { return text_file(world_.shape.all_cpus().to_list()); }},
      {"present", [this] { return text_file(world_.shape.all_cpus().to_list()); }},
  };
  for (const CpuPlace& place : world_.shape.cpus) {
    entries.emplace_back("cpu" + std::to_string(place.cpu), [this, cpu = place.cpu] {
      if (cpu == 0) return directory({});  // the first one cannot be switched off
      return directory({{"online", [this, cpu] {
                           return file(
                               [this, cpu] {
                                 return Answer{0, world_.online.contains(cpu) ? "1\n" : "0\n"};
                               },
                               [this, cpu](std::string_view text) { return write_online(cpu, text); });
                         }}});
    });
  }
  return directory(std::move(entries));
}

int KernelModel::write_online(unsigned cpu, std::string_view text) {
  const std::string_view word = strip(text);
  if (word != "0" && word != "1") return EINVAL;
  const bool wanted = word == "1";
  if (wanted != world_.online.contains(cpu)) cpus_changed(cpu, wanted);
  return 0;
}

Node KernelModel::nodes_directory() {
  Entries entries{
      {"online", [this] { return text_file(world_.shape.all_nodes().to_list()); }},
      {"possible", [this] { return text_file(world_.shape.all_nodes().to_list()); }},
  };
  world_.shape.all_nodes().for_each([&](unsigned node) {
    entries.emplace_back("node" + std::to_string(node), [this, node] {
      return directory({{"cpulist", [this, node] {
                           return text_file((world_.shape.cpus_of_node(node) & world_.online).to_list());
                         }}});
    });
  });
  return directory(std::move(entries));
}

}  // namespace bulkhead::sim

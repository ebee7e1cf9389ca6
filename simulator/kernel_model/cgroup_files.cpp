// SPDX-License-Identifier: Apache-2.0
// Which files a cgroup has.
#include <cerrno>

#include "controller/base/text.h"
#include "simulator/kernel_model/cgroup_tree.h"

namespace bulkhead::sim {

Entries CgroupTree::v2_files(Cgroup& group) {
  Entries files{
      {"cgroup.controllers",
       [this, &group] {
         return group_file(group, [this, &group] { return Answer{0, join(available(group), " ") + '\n'}; });
       }},
      {"cgroup.procs",
       [this, &group] {
         Node node = group_file(
             group, [this, &group] { return print_tasks(group, true); },
             [this, &group](std::string_view text) { return write_tasks(group, text, true); });
         // Its processes are listed at the thread root only.
         node.refuse_open = [&group] { return group.threaded ? EOPNOTSUPP : 0; };
         return node;
       }},
      {"cgroup.subtree_control",
       [this, &group] {
         return group_file(
             group,
             [&group] {
               const std::vector<std::string> names(group.subtree_control.begin(),
                                                    group.subtree_control.end());
               return Answer{0, join(names, " ") + '\n'};
             },
             [this, &group](std::string_view text) { return write_subtree_control(group, text); });
       }},
      {"cgroup.threads",
       [this, &group] {
         return group_file(
             group, [this, &group] { return print_tasks(group, false); },
             [this, &group](std::string_view text) { return write_tasks(group, text, false); });
       }},
  };
  if (group.parent != nullptr) {
    files.emplace_back("cgroup.events", [this, &group] {
      return group_file(group, [this, &group] {
        return Answer{0,
                      std::string("populated ") + (cpusets_->populated(group) ? '1' : '0') + "\nfrozen 0\n"};
      });
    });
    files.emplace_back("cgroup.type", [this, &group] {
      return group_file(
          group,
          [this, &group] {
            return Answer{0, type_of(group) + '\n'};
          },
          [this, &group](std::string_view text) { return write_type(group, text); });
    });
  }
  if (group.cpuset && !controllers_.empty()) {
    for (auto& entry : v2_cpuset_files(group)) files.push_back(std::move(entry));
  }
  return files;
}

Entries CgroupTree::v2_cpuset_files(Cgroup& group) {
  Entries files;
  const Cpuset& cpuset = *group.cpuset;
  if (group.parent != nullptr) {
    files = {
        {"cpuset.cpus",
         [this, &group, &cpuset] {
           return set_file(group, cpuset.cpus, [this, &group](std::string_view text) {
             return cpusets_->write_cpus(group, text);
           });
         }},
        {"cpuset.cpus.partition",
         [this, &group] {
           return group_file(
               group,
               [this, &group] {
                 return Answer{0, cpusets_->print_partition(group)};
               },
               [this, &group](std::string_view text) { return cpusets_->write_partition(group, text); });
         }},
        {"cpuset.mems",
         [this, &group, &cpuset] {
           return set_file(group, cpuset.mems, [this, &group](std::string_view text) {
             return cpusets_->write_mems(group, text);
           });
         }},
    };
  }
  if (world_.at_least(Generation::linux_6_12)) add_exclusive_files(group, files);
  files.emplace_back("cpuset.cpus.effective",
                     [this, &group, &cpuset] { return set_file(group, cpuset.effective); });
  files.emplace_back("cpuset.mems.effective",
                     [this, &group, &cpuset] { return set_file(group, cpuset.effective_mems); });
  return files;
}

void CgroupTree::add_exclusive_files(Cgroup& group, Entries& files) {
  const Cpuset& cpuset = *group.cpuset;
  if (group.parent == nullptr) {
    files.emplace_back("cpuset.cpus.isolated",
                       [this, &group] { return set_file(group, cpusets_->isolated()); });
    return;
  }
  files.emplace_back("cpuset.cpus.exclusive", [this, &group, &cpuset] {
    return set_file(group, cpuset.exclusive_cpus,
                    [this, &group](std::string_view text) { return cpusets_->write_exclusive(group, text); });
  });
  files.emplace_back("cpuset.cpus.exclusive.effective",
                     [this, &group, &cpuset] { return set_file(group, cpuset.exclusive_effective); });
}

Entries CgroupTree::v1_files(Cgroup& group) {
  const Cpuset& cpuset = *group.cpuset;
  const bool is_root = group.parent == nullptr;
  return {
      {"cgroup.procs",
       [this, &group] {
         return group_file(
             group, [this, &group] { return print_tasks(group, true); },
             [this, &group](std::string_view text) { return write_tasks(group, text, true); });
       }},
      {"cpuset.cpu_exclusive",
       [this, &group, &cpuset] {
         return group_file(
             group,
             [&cpuset] {
               return Answer{0, cpuset.exclusive ? "1\n" : "0\n"};
             },
             [this, &group](std::string_view text) { return cpusets_->write_exclusive(group, text); });
       }},
      {"cpuset.cpus",
       [this, &group, &cpuset, is_root] {
         return set_file(group, cpuset.cpus, [this, &group, is_root](std::string_view text) {
           return is_root ? EACCES : cpusets_->write_cpus(group, text);
         });
       }},
      {"cpuset.effective_cpus", [this, &group, &cpuset] { return set_file(group, cpuset.effective); }},
      {"cpuset.effective_mems", [this, &group, &cpuset] { return set_file(group, cpuset.effective_mems); }},
      {"cpuset.mems",
       [this, &group, &cpuset, is_root] {
         return set_file(group, cpuset.mems, [this, &group, is_root](std::string_view text) {
           return is_root ? EACCES : cpusets_->write_mems(group, text);
         });
       }},
      {"tasks",
       [this, &group] {
         return group_file(
             group, [this, &group] { return print_tasks(group, false); },
             [this, &group](std::string_view text) { return write_tasks(group, text, false); });
       }},
  };
}

}  // namespace bulkhead::sim

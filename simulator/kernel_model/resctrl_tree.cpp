// SPDX-License-Identifier: Apache-2.0
// Which files and folders a group has.
#include <cerrno>

#include "simulator/kernel_model/kernel_text.h"
#include "simulator/kernel_model/resctrl.h"

namespace bulkhead::sim {

int Resctrl::fail(int error, const std::string& message) {
  status_.add(message);
  return error;
}

void Resctrl::command_starts() {
  if (world_.at_least(Generation::linux_7)) status_.clear();
}

Node Resctrl::group_file(Group& group, std::function<std::string()> read,
                         std::function<int(std::string_view)> write) {
  Node node = file(
      [this, read = std::move(read)] {
        command_starts();
        return Answer{0, read()};
      },
      std::move(write));
  node.identity = group.identity;
  return node;
}

Entries Resctrl::common_files(Group& group) {
  return {
      {"cpus",
       [this, &group] {
         return group_file(
             group, [this, &group] { return to_mask(group.cpus, world_.cpu_bits()) + '\n'; },
             [this, &group](std::string_view text) { return write_cpus(group, text, false); });
       }},
      {"cpus_list",
       [this, &group] {
         return group_file(
             group, [&group] { return group.cpus.to_list() + '\n'; },
             [this, &group](std::string_view text) { return write_cpus(group, text, true); });
       }},
      {"tasks",
       [this, &group] {
         return group_file(
             group, [this, &group] { return print_tasks(group); },
             [this, &group](std::string_view text) { return write_tasks(group, text); });
       }},
  };
}

Entries Resctrl::group_files(Group& group) {
  Entries entries = common_files(group);
  if (counting_.assigns()) {
    entries.emplace_back("mbm_L3_assignments",
                         [this, &group] { return counting_.assignments_file(group.rmid, group.identity); });
  }
  if (has_option("mba_MBps") && group.is_control() && world_.at_least(Generation::linux_7)) {
    entries.emplace_back("mba_MBps_event", [this, &group] {
      return group_file(
          group, [&group] { return group.steering_event + '\n'; },
          [this, &group](std::string_view text) { return write_steering_event(group, text); });
    });
  }
  return entries;
}

Node Resctrl::control_directory(Group& group) {
  Entries entries = group_files(group);
  entries.emplace_back("mode", [this, &group] {
    return group_file(
        group, [&group] { return group.mode == GroupMode::exclusive ? "exclusive\n" : "shareable\n"; },
        [this, &group](std::string_view text) { return write_mode(group, text); });
  });
  entries.emplace_back("schemata", [this, &group] {
    return group_file(
        group, [this, &group] { return print_values(group, false); },
        [this, &group](std::string_view text) { return write_schemata(group, text); });
  });
  entries.emplace_back("size", [this, &group] {
    return group_file(group, [this, &group] { return print_values(group, true); });
  });
  if (rmids_) {
    entries.emplace_back("mon_data", [this, &group] { return monitoring_data(group); });
    entries.emplace_back("mon_groups", [this, &group] { return monitoring_groups_directory(group); });
  }
  if (has_option("debug")) {
    entries.emplace_back("ctrl_hw_id", [&group] { return text_file(std::to_string(group.closid)); });
    if (rmids_) entries.emplace_back("mon_hw_id", [&group] { return text_file(std::to_string(group.rmid)); });
  }
  if (&group == root_.get()) {
    entries.emplace_back("info", [this] { return info_directory(); });
    for (const auto& each : groups_) {
      entries.emplace_back(each->name, [this, &each] { return control_directory(*each); });
    }
  }
  Node node = directory(std::move(entries));
  node.identity = group.identity;
  if (&group != root_.get()) {
    node.remove_directory = [this, &group] { return remove_control_group(group); };
  } else if (!schemas_.empty()) {
    node.make_directory = [this](const std::string& name) {
      return name.find('\n') != std::string::npos ? EINVAL : make_control_group(name);
    };
  }
  return node;
}

Node Resctrl::monitoring_groups_directory(Group& parent) {
  Entries entries;
  for (const auto& group : parent.monitoring) {
    entries.emplace_back(group->name, [this, &group] { return monitoring_directory(*group); });
  }
  Node node = directory(std::move(entries));
  node.identity = parent.identity;
  node.make_directory = [this, &parent](const std::string& name) {
    if (name.find('\n') != std::string::npos) return EINVAL;
    return name == "mon_groups" ? EPERM : make_monitoring_group(parent, name);
  };
  return node;
}

Node Resctrl::monitoring_directory(Group& group) {
  Entries entries = group_files(group);
  entries.emplace_back("mon_data", [this, &group] { return monitoring_data(group); });
  if (has_option("debug")) {
    entries.emplace_back("mon_hw_id", [&group] { return text_file(std::to_string(group.rmid)); });
  }
  Node node = directory(std::move(entries));
  node.identity = group.identity;
  node.remove_directory = [this, &group] { return remove_monitoring_group(group); };
  return node;
}

Node Resctrl::root_directory() {
  if (mounted()) return control_directory(*root_);
  Node node = directory({});
  node.make_directory = [](const std::string&) { return ENOENT; };  // nothing can be looked up in it
  return node;
}

}  // namespace bulkhead::sim

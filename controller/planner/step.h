// SPDX-License-Identifier: Apache-2.0
// A step: one change of the kernel's state, with what it takes to undo it. Steps are values; the journal
// holds them as JSON lines.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bulkhead {

enum class StepKind {
  // resctrl; target is a group's path below resctrl's root, "" for the default group
  make_group,      // control or monitoring group, by its path
  remove_group,    // before: everything that was in it, see GroupImage
  write_schemata,  // text: the lines to write; before: the same domains' lines as they were
  write_cpus,      // text: cpus_list; before: the list that was there
  move_tasks,      // tasks: thread id -> the group path that it was in
  // cpuset; target is a cgroup's path below the hierarchy's root, or a unit for set_unit
  enable_cpuset,  // "+cpuset" into the subtree_control of target
  make_cgroup,
  remove_cgroup,   // one that we made and emptied; text: the cgroup to which whoever is in it all the same
                   // goes; before: what it was confined to, as for set_unit
  disable_cpuset,  // "-cpuset" out of it again, where enable_cpuset had put it
  write_cpuset_cpus,
  write_cpuset_mems,
  write_partition,  // text: member, root or isolated; read back, since the kernel accepts what it then calls
                    // invalid
  move_processes,   // tasks: process id -> the cgroup path that it was in
  set_unit,         // text and before: "AllowedCPUs=LIST AllowedMemoryNodes=LIST", through systemd
};

std::string_view to_string(StepKind kind);  // "write_schemata"
std::optional<StepKind> parse_step_kind(std::string_view word);

// Whether the step is resctrl's business; else it is the cgroup tree's.
bool is_resctrl(StepKind kind);

// What a removed group held, to make it again.
struct GroupImage {
  std::string schemata;  // all lines; empty for a monitoring group
  std::string cpus;
  std::vector<unsigned> tasks;
  bool operator==(const GroupImage&) const = default;
};

struct Step {
  StepKind kind{};
  std::string target;
  std::string text;
  std::string before;
  std::map<unsigned, std::string> tasks;
  GroupImage image;  // for remove_group
  bool operator==(const Step&) const = default;
};

// One line for people, "write L3:0=fff to bulkhead.web/schemata (was L3:0=ffff)".
std::string describe(const Step& step);

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "cgroup/cpuset_writer.h"

#include <algorithm>
#include <cerrno>

#include "cgroup/explain.h"
#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/kernel/paths.h"

namespace bulkhead {
namespace {

bool is_populated(Directory& root, const std::string& path) {
  const std::string events = root.read_if_there(file_in_cgroup(path, "cgroup.events")).value_or("");
  return events.find("populated 1") != std::string::npos;
}

std::string subtree_control_of(Directory& root, const std::string& path) {
  return root.read_if_there(file_in_cgroup(path, "cgroup.subtree_control")).value_or("");
}

bool is_partition(const ObservedCpuset& cpuset) {
  return !cpuset.partition.empty() && cpuset.partition != "member";
}

}  // namespace

void CpusetWriter::write(const std::string& path, std::string_view file, const std::string& list) {
  if (list.empty()) return clear(path, file);
  put(path, file, list);
  stand_ins_.erase({path, std::string(file)});
}

void CpusetWriter::restore(const std::string& path, std::string_view file, const std::string& list) {
  const auto now = root_.read_if_there(file_in_cgroup(path, file));
  if (now && CpuSet::parse_list(*now) != CpuSet::parse_list(list)) write(path, file, list);
}

std::vector<std::string> CpusetWriter::notes() const {
  std::vector<std::string> notes;
  for (const auto& [target, list] : stand_ins_) {
    const auto& [path, file] = target;
    if (!root_.read_if_there(file_in_cgroup(path, file))) continue;  // cpuset was switched off above
    notes.push_back(
        "this kernel does not let " + file + " of " + path +
        " be emptied while processes are in it, so it names everything instead, which has the same effect");
  }
  return notes;
}

void CpusetWriter::put(const std::string& path, std::string_view file, const std::string& list) {
  const auto opened = open_cpuset_file(root_, path, file);
  try {
    opened->write(list + '\n');
  } catch (const Error& error) {
    throw explain_cpuset_refusal(error, root_, version_, path, file);
  }
}

void CpusetWriter::clear(const std::string& path, std::string_view file) {
  try {
    put(path, file, "");
    stand_ins_.erase({path, std::string(file)});
    return;
  } catch (const Error& error) {
    if (error.detail().error_number != ENOSPC || version_ != CgroupVersion::v2) throw;
  }
  const std::string list = everything(path, file == "cpuset.cpus");
  const auto now = root_.read_if_there(file_in_cgroup(path, file));
  if (now && CpuSet::parse_list(*now) != CpuSet::parse_list(list)) put(path, file, list);
  stand_ins_[{path, std::string(file)}] = CpuSet::parse_list(list);
  if (may_cycle(parent_cgroup(path))) cycle(parent_cgroup(path));
}

// The list that, like the empty one, leaves a cgroup all that its parent has. Beside a partition it is what
// the parent has now: naming CPUs of a partition would make that invalid.
std::string CpusetWriter::everything(const std::string& path, bool of_cpus) {
  const std::string parent = parent_cgroup(path);
  const ObservedCpuset above = read_cpuset(root_, version_, parent);
  if (!of_cpus) return read_cpuset(root_, version_, "/").effective_memory_nodes.to_list();
  for (const std::string& sibling : children_of(root_, parent)) {
    if (sibling != path && is_partition(read_cpuset(root_, version_, sibling)))
      return above.effective_cpus.to_list();
  }
  const auto folder = files_.open_directory_if_there(std::string(paths::kCpu));
  const auto possible = folder ? folder->read_if_there("possible") : std::nullopt;
  return possible ? CpuSet::parse_list(*possible).to_list()
                  : read_cpuset(root_, version_, "/").effective_cpus.to_list();
}

// Switching cpuset off and on drops every child's settings, and on kernels before 6.2 the CPU affinity that
// threads have set for themselves. So all children must be empty, or cgroups whose settings we are undoing.
bool CpusetWriter::may_cycle(const std::string& parent) {
  for (const std::string& child : children_of(root_, parent)) {
    const auto stands_in = [&](const char* file, const CpuSet& now) {
      const auto found = stand_ins_.find({child, file});
      return found != stand_ins_.end() && found->second == now;
    };
    const ObservedCpuset cpuset = read_cpuset(root_, version_, child);
    const bool for_cpus = stands_in("cpuset.cpus", cpuset.cpus);
    const bool for_nodes = stands_in("cpuset.mems", cpuset.memory_nodes);
    const bool ours = for_cpus || for_nodes;
    if (!cpuset.cpus.empty() && !for_cpus) return false;
    if (!cpuset.memory_nodes.empty() && !for_nodes) return false;
    if (is_partition(cpuset) || (!ours && is_populated(root_, child))) return false;
    const std::string below = subtree_control_of(root_, child);
    if (below.find("cpuset") != std::string::npos) return false;
  }
  return true;
}

void CpusetWriter::cycle(const std::string& parent) {
  const auto control = root_.open(file_in_cgroup(parent, "cgroup.subtree_control"), Access::write);
  try {
    control->write("-cpuset\n");
  } catch (const Error&) {
    return;  // somebody has begun to use it below; what stands in has the same effect
  }
  control->write("+cpuset\n");
  std::erase_if(stand_ins_, [&](const auto& entry) { return parent_cgroup(entry.first.first) == parent; });
}

}  // namespace bulkhead

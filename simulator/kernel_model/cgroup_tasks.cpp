// SPDX-License-Identifier: Apache-2.0
// cgroup.procs, cgroup.threads and v1's tasks.
#include <cerrno>

#include "simulator/kernel_model/cgroup_tree.h"
#include "simulator/kernel_model/kernel_text.h"

namespace bulkhead::sim {

Answer CgroupTree::print_tasks(const Cgroup& group, bool processes) const {
  std::string text;
  unsigned last = 0;
  for (const Task* task : world_.by_process()) {
    // A thread root lists the processes of its threaded groups, too.
    const Cgroup* home = group_of(*task);
    if (home == nullptr || task->zombie) continue;
    const Cgroup* listed = processes && !v1_ ? &domain_of(*home) : home;
    if (listed != &group || (processes && task->process == last)) continue;
    last = task->process;
    text += std::to_string(processes ? task->process : task->id) + '\n';
  }
  return {0, text};
}

int CgroupTree::write_tasks(Cgroup& group, std::string_view text, bool whole_process) {
  const ParsedNumber id = parse_int(strip(text));
  if (id.error != 0 || id.value < 0) return EINVAL;
  Task* task = world_.find_task(id.value == 0 ? world_.writer : id.value);
  if (task == nullptr) return ESRCH;
  if (task->pinned) return EINVAL;
  if (const int error = v1_ ? 0 : may_migrate(*task, group, whole_process)) return error;
  return move(whole_process ? world_.threads_of(task->process) : std::vector<Task*>{task}, group);
}

int CgroupTree::may_migrate(const Task& task, const Cgroup& group, bool whole_process) const {
  const Cgroup* from = group_of(task);
  if (!whole_process && from != nullptr && &domain_of(*from) != &domain_of(group)) return EOPNOTSUPP;
  if (!is_valid_domain(domain_of(group))) return EOPNOTSUPP;
  if (can_be_thread_root(group) || group.threaded) return 0;
  return group.subtree_control.empty() ? 0 : EBUSY;
}

int CgroupTree::move(const std::vector<Task*>& tasks, Cgroup& group) {
  for (const Task* task : tasks) {
    if (const int error = cpusets_->may_attach(*task, group)) return error;
  }
  for (Task* task : tasks) {
    Cgroup* from = group_of(*task);
    const bool same_cpuset = from != nullptr && &from->cpuset_owner() == &group.cpuset_owner();
    task->*membership_ = group.id;
    if (!same_cpuset) cpusets_->attached(*task, group);
  }
  return 0;
}

}  // namespace bulkhead::sim

// SPDX-License-Identifier: Apache-2.0
#include "simulator/kernel_model/cgroup_tree.h"

#include <algorithm>
#include <cerrno>

#include "controller/base/text.h"

namespace bulkhead::sim {

CgroupTree::CgroupTree(World& world, bool v1, std::vector<std::string> controllers)
    : world_(world),
      v1_(v1),
      controllers_(std::move(controllers)),
      membership_(v1 ? &Task::cgroup_v1 : &Task::cgroup),
      cpusets_(make_cpusets(world, v1, membership_)),
      root_(std::make_unique<Cgroup>()) {
  root_->id = next_id_++;
  root_->identity = world_.next_identity++;
  cpusets_->start(*root_);
  if (v1_) root_->cpuset->exclusive = true;
}

Cgroup* CgroupTree::find(const std::string& path) const {
  Cgroup* group = root_.get();
  for (const std::string_view name : split(path, '/')) {
    if (name.empty()) continue;
    const auto found =
        std::ranges::find_if(group->children, [&](const auto& child) { return child->name == name; });
    if (found == group->children.end()) return nullptr;
    group = found->get();
  }
  return group;
}

Cgroup* CgroupTree::group_of(const Task& task) const {
  std::vector<Cgroup*> open{root_.get()};
  while (!open.empty()) {
    Cgroup* group = open.back();
    open.pop_back();
    if (group->id == task.*membership_) return group;
    for (const auto& child : group->children) open.push_back(child.get());
  }
  return nullptr;
}

std::string CgroupTree::path_of(const Task& task) const {
  const Cgroup* group = group_of(task);
  return group == nullptr ? "/ (deleted)" : group->path();  // a zombie may outlive its cgroup
}

CpuSet CgroupTree::mems_of(const Task& task) const {
  Cgroup* group = group_of(task);
  return (group == nullptr ? *root_ : group->cpuset_owner()).cpuset->effective_mems;
}

void CgroupTree::place_new(Task& task, Cgroup& group) const {
  task.*membership_ = group.id;
  if (!task.pinned) cpusets_->attached(task, group);
}

void CgroupTree::inherit(Task& task, const Task& from) const {
  task.*membership_ = from.*membership_;
}

int CgroupTree::set_affinity(Task& task, const CpuSet& wanted) const {
  const CpuSet usable = wanted & group_of(task)->cpuset_owner().cpuset->effective;
  if (usable.empty() || task.pinned) return EINVAL;
  task.requested = wanted;
  task.allowed = usable;
  return 0;
}

void CgroupTree::cpus_changed() {
  cpusets_->cpus_changed(*root_);
}

int CgroupTree::make_group(Cgroup& parent, const std::string& name) {
  if (name.find('\n') != std::string::npos) return EINVAL;
  auto group = std::make_unique<Cgroup>();
  group->id = next_id_++;
  group->identity = world_.next_identity++;
  group->name = name;
  group->parent = &parent;
  if (v1_ || parent.subtree_control.contains("cpuset")) cpusets_->create(*group);
  parent.children.push_back(std::move(group));
  return 0;
}

int CgroupTree::remove_group(Cgroup& group) {
  if (!group.children.empty() || cpusets_->populated(group)) return EBUSY;
  cpusets_->destroy(group);
  std::erase_if(group.parent->children, [&](const auto& each) { return each.get() == &group; });
  return 0;
}

// A group gets another name where it is; v2 has no such thing.
int CgroupTree::rename(const std::vector<std::string>& from, const std::vector<std::string>& to) {
  Cgroup* group = find(join(from, "/"));
  if (group == nullptr) return ENOTDIR;
  if (to.back().find('\n') != std::string::npos) return EINVAL;
  if (!std::equal(from.begin(), from.end() - 1, to.begin(), to.end() - 1)) return EIO;
  if (find(join(to, "/")) != nullptr) return EEXIST;
  group->name = to.back();
  return 0;
}

Node CgroupTree::group_file(const Cgroup& group, std::function<Answer()> read,
                            std::function<int(std::string_view)> write) const {
  std::function<int(std::string_view)> unless_empty;  // a write of nothing is none
  if (write) {
    unless_empty = [write = std::move(write)](std::string_view text) {
      return text.empty() ? 0 : write(text);
    };
  }
  Node node = file(std::move(read), std::move(unless_empty));
  node.identity = group.identity;
  return node;
}

Node CgroupTree::set_file(const Cgroup& group, const CpuSet& set,
                          std::function<int(std::string_view)> write) const {
  return group_file(
      group,
      [&set] {
        return Answer{0, set.to_list() + '\n'};
      },
      std::move(write));
}

Node CgroupTree::group_directory(Cgroup& group) {
  Entries entries = v1_ ? v1_files(group) : v2_files(group);
  for (const auto& child : group.children) {
    entries.emplace_back(child->name, [this, &child] { return group_directory(*child); });
  }
  Node node = directory(std::move(entries));
  node.identity = group.identity;
  node.make_directory = [this, &group](const std::string& name) { return make_group(group, name); };
  if (group.parent != nullptr) node.remove_directory = [this, &group] { return remove_group(group); };
  return node;
}

}  // namespace bulkhead::sim

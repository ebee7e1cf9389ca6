// SPDX-License-Identifier: Apache-2.0
// cgroup.type and cgroup.subtree_control: domains, threaded groups, and the rule that a group has either
// processes or children with controllers.
#include <algorithm>
#include <array>
#include <cerrno>

#include "controller/base/text.h"
#include "simulator/kernel_model/cgroup_tree.h"
#include "simulator/kernel_model/kernel_text.h"

namespace bulkhead::sim {
namespace {

constexpr std::array<std::string_view, 4> kThreadedControllers{"cpuset", "cpu", "pids", "perf_event"};

bool is_threaded_controller(std::string_view name) {
  return std::ranges::count(kThreadedControllers, name) != 0;
}

bool has_domain_controller(const std::set<std::string>& names) {
  return !std::ranges::all_of(names, [](const std::string& name) { return is_threaded_controller(name); });
}

}  // namespace

struct CgroupTree::Change {
  std::set<std::string> enable;
  std::set<std::string> disable;
};

std::vector<std::string> CgroupTree::available(const Cgroup& group) const {
  std::vector<std::string> names;
  for (const std::string& name : controllers_) {
    if (group.parent == nullptr || group.parent->subtree_control.contains(name)) names.push_back(name);
  }
  return names;
}

bool CgroupTree::is_thread_root(const Cgroup& group) const {
  if (group.threaded) return false;
  if (std::ranges::any_of(group.children, [](const auto& child) { return child->threaded; })) return true;
  const bool threads_only = !group.subtree_control.empty() && !has_domain_controller(group.subtree_control);
  return cpusets_->has_tasks(group) && threads_only;
}

bool CgroupTree::can_be_thread_root(const Cgroup& group) const {
  if (group.parent == nullptr) return true;
  const bool populated_domain_below = std::ranges::any_of(
      group.children, [&](const auto& child) { return !child->threaded && cpusets_->populated(*child); });
  return !populated_domain_below && !has_domain_controller(group.subtree_control);
}

bool CgroupTree::is_valid_domain(const Cgroup& group) const {
  if (group.threaded) return false;
  for (const Cgroup* above = group.parent; above != nullptr; above = above->parent) {
    if (above->threaded || (above->parent != nullptr && is_thread_root(*above))) return false;
  }
  return true;
}

const Cgroup& CgroupTree::domain_of(const Cgroup& group) const {
  const Cgroup* domain = &group;
  while (domain->threaded) domain = domain->parent;
  return *domain;
}

std::string CgroupTree::type_of(const Cgroup& group) const {
  if (group.threaded) return "threaded";
  if (!is_valid_domain(group)) return "domain invalid";
  return is_thread_root(group) ? "domain threaded" : "domain";
}

int CgroupTree::write_type(Cgroup& group, std::string_view text) {
  if (strip(text) != "threaded") return EINVAL;
  if (group.threaded) return 0;
  const Cgroup& domain = domain_of(*group.parent);
  const bool busy = cpusets_->populated(group) || has_domain_controller(group.subtree_control);
  if (busy || !is_valid_domain(domain) || !can_be_thread_root(domain)) return EOPNOTSUPP;
  group.threaded = true;
  return 0;
}

int CgroupTree::write_subtree_control(Cgroup& group, std::string_view text) {
  Change change;
  for (const std::string_view word : split(strip(text), ' ')) {
    if (word.empty()) continue;
    const std::string name(word.substr(1));
    if (std::ranges::count(controllers_, name) == 0) return EINVAL;
    if (word.front() != '+' && word.front() != '-') return EINVAL;
    (word.front() == '+' ? change.enable : change.disable).insert(name);
    (word.front() == '+' ? change.disable : change.enable).erase(name);
  }
  std::erase_if(change.enable, [&](const std::string& name) { return group.subtree_control.contains(name); });
  std::erase_if(change.disable,
                [&](const std::string& name) { return !group.subtree_control.contains(name); });
  if (const int error = may_change_controllers(group, change)) return error;
  for (const std::string& name : change.disable) group.subtree_control.erase(name);
  group.subtree_control.insert(change.enable.begin(), change.enable.end());
  for (const auto& child : group.children) {
    if (change.enable.contains("cpuset")) cpusets_->create(*child);
    if (change.disable.contains("cpuset")) cpusets_->destroy(*child);
  }
  return 0;
}

int CgroupTree::may_change_controllers(const Cgroup& group, const Change& change) const {
  const std::vector<std::string> usable = available(group);
  for (const std::string& name : change.enable) {
    if (std::ranges::count(usable, name) == 0) return ENOENT;
  }
  for (const std::string& name : change.disable) {
    const bool used = std::ranges::any_of(
        group.children, [&](const auto& child) { return child->subtree_control.contains(name); });
    if (used) return EBUSY;
  }
  if (change.enable.empty() || group.parent == nullptr) return 0;
  if (!is_valid_domain(domain_of(group))) return EOPNOTSUPP;
  const bool for_domains = has_domain_controller(change.enable);
  if (is_thread_root(group) || group.threaded) return for_domains ? EOPNOTSUPP : 0;
  if (can_be_thread_root(group) && !for_domains) return 0;
  return cpusets_->has_tasks(group) ? EBUSY : 0;
}

}  // namespace bulkhead::sim

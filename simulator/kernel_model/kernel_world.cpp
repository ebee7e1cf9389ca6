// SPDX-License-Identifier: Apache-2.0
// What happens outside of the kernel's files: processes come and go, CPUs are unplugged, counters count.
#include <cerrno>

#include "simulator/kernel_model/kernel_model.h"

namespace bulkhead::sim {
namespace {

const std::vector<std::string> kControllers{"cpuset", "cpu", "io", "memory", "pids"};

std::unique_ptr<CgroupTree> make_v2(World& world) {
  if (world.shape.cgroup == CgroupSetup::none) return nullptr;
  // Where v1 has the controllers, v2's hierarchy is there without any.
  const bool empty = world.shape.cgroup == CgroupSetup::v1;
  return std::make_unique<CgroupTree>(world, false, empty ? std::vector<std::string>{} : kControllers);
}

std::unique_ptr<CgroupTree> make_v1(World& world) {
  if (world.shape.cgroup != CgroupSetup::v1) return nullptr;
  return std::make_unique<CgroupTree>(world, true, kControllers);
}

}  // namespace

KernelModel::KernelModel(KernelShape shape)
    : world_(std::move(shape)),
      resctrl_(world_),
      v2_(make_v2(world_)),
      v1_(make_v1(world_)),
      proc_(world_, resctrl_, v2_.get(), v1_.get()),
      sysfs_(world_, [this](unsigned cpu, bool online) { cpus_changed(cpu, online); }) {
  if (world_.shape.resctrl_mounted) resctrl_.mount(world_.shape.mount_options);
  add_task("init", 0, 0).executable = "/sbin/init";
  Task& creator = add_task("kthreadd", 0, 0);
  creator.kernel = creator.pinned = true;
  Task& self = add_task("bulkhead", 0, 1);
  self.executable = "/usr/bin/bulkhead";
  world_.writer = self.id;
}

const CgroupTree* KernelModel::cpuset_tree() const {
  return v1_ ? v1_.get() : v2_.get();
}

Task& KernelModel::add_task(const std::string& name, unsigned process, unsigned parent) {
  const unsigned id = world_.next_task++;
  Task& task = world_.tasks[id];
  task.id = id;
  task.process = process != 0 ? process : id;
  task.parent = parent;
  task.name = name;
  task.allowed = world_.shape.all_cpus();
  task.cgroup = task.cgroup_v1 = 1;  // the root groups' id
  return task;
}

void KernelModel::copy_placement(Task& task, const Task& from) {
  task.closid = from.closid;
  task.rmid = from.rmid;
  task.cgroup = from.cgroup;
  task.cgroup_v1 = from.cgroup_v1;
  task.allowed = from.allowed;
  task.requested = from.requested;
}

CpuSet KernelModel::memory_nodes_of(const Task& task) const {
  const CgroupTree* tree = cpuset_tree();
  if (tree == nullptr) return world_.shape.all_nodes();
  Cgroup* group = tree->find(tree->path_of(task));
  return group == nullptr ? world_.shape.all_nodes() : group->cpuset_owner().cpuset->effective_mems;
}

unsigned KernelModel::spawn(const NewProcess& process) {
  Task& task = add_task(process.name, 0, 1);
  copy_placement(task, world_.tasks.at(1));
  task.executable = process.executable;
  task.user = process.user;
  if (const CgroupTree* tree = cpuset_tree()) tree->place_new(task, *tree->find(process.cgroup));
  return task.id;
}

unsigned KernelModel::spawn_thread(unsigned of) {
  const Task creator = world_.tasks.at(of);
  Task& task = add_task(creator.name, creator.process, creator.parent);
  copy_placement(task, creator);
  task.user = creator.user;
  task.executable = creator.executable;
  return task.id;
}

void KernelModel::adopt(unsigned id, unsigned process, unsigned parent, const NewProcess& what) {
  const Task* creator = world_.find_task(process != id ? process : parent);
  const Task from = creator != nullptr ? *creator : world_.tasks.at(1);
  Task& task = world_.tasks[id];
  task = {.id = id, .process = process, .parent = parent, .name = what.name};
  copy_placement(task, from);
  task.executable = what.executable;
  task.user = what.user;
}

void KernelModel::place_like(unsigned id, const Task& other) {
  copy_placement(world_.tasks.at(id), other);
}

unsigned KernelModel::fork(unsigned parent) {
  const Task creator = world_.tasks.at(parent);
  Task& task = add_task(creator.name, 0, creator.process);
  copy_placement(task, creator);
  task.user = creator.user;
  task.executable = creator.executable;
  return task.id;
}

unsigned KernelModel::spawn_kernel_thread(const std::string& name, bool pinned, const CpuSet& allowed) {
  Task& task = add_task(name, 0, 2);
  task.kernel = true;
  task.pinned = pinned;
  task.allowed = allowed;
  return task.id;
}

void KernelModel::set_user(unsigned process, unsigned user) {
  for (Task* thread : world_.threads_of(process)) thread->user = user;
}

void KernelModel::become_kernel_thread(unsigned process) {
  Task& task = world_.tasks.at(process);
  task.kernel = task.pinned = true;
}

void KernelModel::become_zombie(unsigned process) {
  for (const Task* thread : world_.threads_of(process)) {
    if (thread->id != process) world_.tasks.erase(thread->id);
  }
  world_.tasks.at(process).zombie = true;
}

void KernelModel::end(unsigned id) {
  if (world_.tasks.at(id).process != id) {
    world_.tasks.erase(id);
    return;
  }
  for (const Task* thread : world_.threads_of(id)) world_.tasks.erase(thread->id);
}

int KernelModel::set_affinity(unsigned thread, const CpuSet& cpus) {
  Task& task = world_.tasks.at(thread);
  if (const CgroupTree* tree = cpuset_tree()) return tree->set_affinity(task, cpus);
  const CpuSet usable = cpus & world_.online;
  if (usable.empty() || task.pinned) return EINVAL;
  task.requested = cpus;
  task.allowed = usable;
  return 0;
}

void KernelModel::cpus_changed(unsigned cpu, bool online) {
  if (online) {
    world_.online.insert(cpu);
    resctrl_.cpu_came_online(cpu);
  } else {
    world_.online.erase(cpu);
    resctrl_.cpu_went_offline(cpu);
  }
  for (CgroupTree* tree : {v1_.get(), v2_.get()}) {
    if (tree != nullptr) tree->cpus_changed();
  }
}

void KernelModel::take_offline(unsigned cpu) {
  cpus_changed(cpu, false);
}

void KernelModel::bring_online(unsigned cpu) {
  cpus_changed(cpu, true);
}

void KernelModel::set_counter(const std::string& group, unsigned domain, const std::string& event,
                              std::uint64_t units) {
  resctrl_.counters().set({domain, resctrl_.rmid_of(group), event}, units);
}

void KernelModel::fail_counter(const std::string& group, unsigned domain, const std::string& event,
                               CounterState state) {
  resctrl_.counters().fail({domain, resctrl_.rmid_of(group), event}, state);
}

}  // namespace bulkhead::sim

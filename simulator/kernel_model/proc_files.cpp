// SPDX-License-Identifier: Apache-2.0
#include "simulator/kernel_model/proc_files.h"

#include <cerrno>

#include "controller/base/text.h"
#include "simulator/kernel_model/cpuinfo_file.h"
#include "simulator/kernel_model/kernel_text.h"

namespace bulkhead::sim {
namespace {

struct Mount {
  std::string type;
  std::string source;
  std::string target;
  std::string options;        // of the mount
  std::string super_options;  // of the filesystem
};

}  // namespace

ProcFiles::ProcFiles(World& world, const Resctrl& resctrl, const CgroupTree* v2, const CgroupTree* v1)
    : world_(world), resctrl_(resctrl), v2_(v2), v1_(v1) {}

Node ProcFiles::root_directory() {
  const auto general = [this](const std::string& name) -> Node {
    if (name == "cpuinfo")
      return file([this] { return Answer{0, cpuinfo_text(world_.shape, world_.online)}; });
    if (name == "filesystems") return file([this] { return Answer{0, filesystems()}; });
    if (name == "mounts") return link("self/mounts");
    if (name == "self") return link(std::to_string(world_.writer));
    const auto id = parse_integer<unsigned>(name);
    const Task* task = id && std::to_string(*id) == name ? world_.find_task(*id) : nullptr;
    return task == nullptr ? Node{} : task_directory(*task, false);
  };
  Node node;
  node.kind = NodeKind::directory;
  node.child = general;
  node.names = [this] {
    std::vector<std::string> names{"cpuinfo", "filesystems", "mounts", "self"};
    for (const auto& [id, task] : world_.tasks) {
      if (id == task.process) names.push_back(std::to_string(id));
    }
    return names;
  };
  return node;
}

Node ProcFiles::task_file(const Task& task, std::string (ProcFiles::*print)(const Task&) const) const {
  return file([this, &task, print] { return Answer{0, (this->*print)(task)}; });
}

Node ProcFiles::task_directory(const Task& task, bool thread) const {
  Entries entries;
  const std::pair<const char*, std::string (ProcFiles::*)(const Task&) const> files[] = {
      {"cgroup", &ProcFiles::cgroups},
      {"cmdline", &ProcFiles::command_line},
      {"comm", &ProcFiles::name},
      {"cpu_resctrl_groups", &ProcFiles::resctrl_groups},
      {"mountinfo", &ProcFiles::mount_information},
      {"mounts", &ProcFiles::mounts},
      {"stat", &ProcFiles::stat},
      {"status", &ProcFiles::status},
  };
  for (const auto& [name, print] : files) {
    entries.emplace_back(name, [this, &task, print = print] { return task_file(task, print); });
  }
  entries.emplace_back("exe", [&task] { return link(task.zombie ? "" : task.executable); });
  if (!thread) entries.emplace_back("task", [this, &task] { return threads_directory(task); });
  return directory(std::move(entries));
}

Node ProcFiles::threads_directory(const Task& task) const {
  Entries entries;
  for (const Task* each : world_.threads_of(task.process)) {
    entries.emplace_back(std::to_string(each->id), [this, each] { return task_directory(*each, true); });
  }
  return directory(std::move(entries));
}

std::string ProcFiles::command_line(const Task& task) const {
  return task.kernel || task.zombie ? "" : task.executable + '\0';
}

CpuSet ProcFiles::nodes_of(const Task& task) const {
  const CgroupTree* tree = v1_ != nullptr ? v1_ : v2_;
  return tree == nullptr || task.kernel ? world_.shape.all_nodes() : tree->mems_of(task);
}

std::string ProcFiles::status(const Task& task) const {
  const auto number = [](auto value) { return std::to_string(value); };
  const std::string user = number(task.user) + '\t' + number(task.user) + '\t' + number(task.user) + '\t' +
                           number(task.user) + '\n';
  return "Name:\t" + task.name + "\nState:\t" + (task.zombie ? "Z (zombie)" : "S (sleeping)") + "\nTgid:\t" +
         number(task.process) + "\nNgid:\t0\nPid:\t" + number(task.id) + "\nPPid:\t" + number(task.parent) +
         "\nTracerPid:\t0\nUid:\t" + user + "Gid:\t" + user + "Threads:\t" +
         number(world_.threads_of(task.process).size()) + "\nCpus_allowed:\t" +
         to_mask(task.allowed, world_.cpu_bits()) + "\nCpus_allowed_list:\t" + task.allowed.to_list() +
         "\nMems_allowed_list:\t" + nodes_of(task).to_list() + '\n';
}

namespace {

// Where it runs: threads are spread over what they may use.
unsigned processor_of(const Task& task) {
  const std::vector<unsigned> allowed = task.allowed.members();
  return allowed.empty() ? 0 : allowed[task.id % allowed.size()];
}

}  // namespace

std::string ProcFiles::stat(const Task& task) const {
  constexpr unsigned kKernelThread = 0x200000;  // PF_KTHREAD, in the field "flags"
  const std::string id = std::to_string(task.id);
  const std::string session = std::to_string(task.process);
  std::string text = id + " (" + task.name + ") " + (task.zombie ? 'Z' : 'S') + ' ' +
                     std::to_string(task.parent) + ' ' + session + ' ' + session + " 0 -1 " +
                     std::to_string(task.kernel ? kKernelThread : 0);
  text += " 0 0 0 0 0 0 0 0 20 0 " + std::to_string(world_.threads_of(task.process).size()) + " 0 " + id;
  constexpr unsigned kFieldsBefore = 22;
  constexpr unsigned kProcessor = 39;
  constexpr unsigned kFields = 52;
  for (unsigned field = kFieldsBefore + 1; field <= kFields; ++field) {
    text += ' ' + std::to_string(field == kProcessor ? processor_of(task) : 0);
  }
  return text + '\n';
}

std::string ProcFiles::cgroups(const Task& task) const {
  std::string text;
  if (v1_ != nullptr) text += "4:cpuset:" + v1_->path_of(task) + '\n';
  if (v2_ != nullptr) text += "0::" + v2_->path_of(task) + '\n';
  return text;
}

namespace {

std::vector<Mount> all_mounts(const Resctrl& resctrl, bool v2, bool v1) {
  const std::string usual = "rw,nosuid,nodev,noexec,relatime";
  std::vector<Mount> mounts{{"ext4", "/dev/vda1", "/", "rw,relatime", "rw"},
                            {"proc", "proc", "/proc", usual, "rw"},
                            {"sysfs", "sysfs", "/sys", usual, "rw"}};
  if (v1) {
    mounts.push_back({"tmpfs", "tmpfs", "/sys/fs/cgroup", "ro,nosuid,nodev,noexec", "ro,mode=755"});
    mounts.push_back({"cgroup2", "cgroup2", "/sys/fs/cgroup/unified", usual, "rw"});
    mounts.push_back({"cgroup", "cgroup", "/sys/fs/cgroup/cpuset", usual, "rw,cpuset"});
  } else if (v2) {
    mounts.push_back({"cgroup2", "cgroup2", "/sys/fs/cgroup", usual, "rw"});
  }
  if (resctrl.mounted()) {
    const std::string access = resctrl.read_only() ? "ro" : "rw";
    mounts.push_back(
        {"resctrl", "resctrl", "/sys/fs/resctrl", access + ",relatime", access + resctrl.shown_options()});
  }
  return mounts;
}

}  // namespace

std::string ProcFiles::mounts(const Task&) const {
  std::string text;
  for (const Mount& mount : all_mounts(resctrl_, v2_ != nullptr, v1_ != nullptr)) {
    // The filesystem's own options follow the mount's; "rw" stands once.
    std::string own = mount.super_options;
    own.erase(0, 2);
    text += mount.source + ' ' + mount.target + ' ' + mount.type + ' ' + mount.options + own + " 0 0\n";
  }
  return text;
}

std::string ProcFiles::mount_information(const Task&) const {
  std::string text;
  unsigned id = 20;
  for (const Mount& mount : all_mounts(resctrl_, v2_ != nullptr, v1_ != nullptr)) {
    text += std::to_string(id) + " 1 0:" + std::to_string(id) + " / " + mount.target + ' ' + mount.options +
            " - " + mount.type + ' ' + mount.source + ' ' + mount.super_options + '\n';
    ++id;
  }
  return text;
}

std::string ProcFiles::filesystems() const {
  std::string text = "nodev\tsysfs\nnodev\ttmpfs\nnodev\tproc\n";
  if (v1_ != nullptr) text += "nodev\tcgroup\n";
  if (v2_ != nullptr) text += "nodev\tcgroup2\n";
  text += "\text4\n";
  if (world_.shape.has_resctrl()) text += "nodev\tresctrl\n";
  return text;
}

}  // namespace bulkhead::sim

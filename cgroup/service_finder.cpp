// SPDX-License-Identifier: Apache-2.0
#include "cgroup/service_finder.h"

#include <algorithm>
#include <functional>
#include <set>

#include "cgroup/cgroup_walk.h"
#include "cgroup/process_table.h"
#include "controller/base/error.h"
#include "controller/base/text.h"

namespace bulkhead {
namespace {

std::vector<unsigned> sorted(const std::set<unsigned>& ids) {
  return {ids.begin(), ids.end()};
}

}  // namespace

class ServiceFinder::Impl {
 public:
  Impl(FileSystem& files, const Hierarchy& hierarchy, UnitManager* units)
      : files_(files), hierarchy_(hierarchy), units_(units), table_(files) {}

  FoundService find(const Select& select) {
    switch (select.kind) {
      case SelectKind::cgroup:
        return in_trees([&](CgroupWalk& walk) { return walk.matching(select.text); });
      case SelectKind::unit:
        return find_unit(select.text);
      case SelectKind::exe:
        return of_processes([&](unsigned process) {
          const auto program = table_.program(process);
          return program && matches_pattern(*program, select.text);
        });
      case SelectKind::comm:
        return of_processes([&](unsigned process) {
          const auto name = table_.name(process);
          return name && matches_pattern(*name, select.text) && !table_.is_kernel_thread(process);
        });
      case SelectKind::pids:
        return of_processes({select.pids.begin(), select.pids.end()});
      case SelectKind::pidfile:
        return of_processes(read_pidfile(select.text));
      case SelectKind::others:
        break;
    }
    return {};
  }

  std::vector<Thread> all_threads() {
    std::vector<Thread> found;
    for (const unsigned process : table_.processes()) {
      const bool kernel = table_.is_kernel_thread(process);
      for (const unsigned id : table_.threads(process)) {
        const auto status = table_.status(process, id);
        if (!status) continue;
        found.push_back({.id = id,
                         .process = process,
                         .name = status->name,
                         .allowed_cpus = status->allowed_cpus,
                         .kernel = kernel});
      }
    }
    return found;
  }

  std::vector<unsigned> processes_in(const std::string& cgroup) {
    const auto root = files_.open_directory_if_there(hierarchy_.mount_point);
    if (!root) return {};
    std::vector<unsigned> processes;
    const std::string content = root->read_if_there(file_in_cgroup(cgroup, "cgroup.procs")).value_or("");
    for (const std::string_view line : split(content, '\n')) {
      const auto process = parse_integer<unsigned>(trim(line));
      if (process && *process != 0 && !table_.is_kernel_thread(*process)) processes.push_back(*process);
    }
    std::sort(processes.begin(), processes.end());
    return processes;
  }

  ProcessTable& processes() { return table_; }

  std::string cgroup_of(unsigned process) {
    return table_.cgroup(process, hierarchy_.version == CgroupVersion::v1 ? "cpuset" : "").value_or("/");
  }

 private:
  FoundService find_unit(const std::string& unit) {
    if (units_ == nullptr) return in_trees([&](CgroupWalk& walk) { return walk.named(unit); });
    const auto path = units_->control_group(unit);
    if (!path) return {};
    return in_trees([&](CgroupWalk& walk) { return walk.matching(*path); });
  }

  // The tree with cpusets; where nothing is found there, the one that has the services.
  template <class Choose>
  FoundService in_trees(Choose&& choose) {
    if (hierarchy_.version != CgroupVersion::none) {
      FoundService found = in_tree(hierarchy_.mount_point, choose);
      if (found.found) return found;
    }
    if (hierarchy_.service_mount_point == hierarchy_.mount_point) return {};
    FoundService found = in_tree(hierarchy_.service_mount_point, choose);
    found.cgroups = cgroups_of({found.processes.begin(), found.processes.end()});
    return found;
  }

  template <class Choose>
  FoundService in_tree(const std::string& mount_point, Choose&& choose) {
    const auto root = mount_point.empty() ? nullptr : files_.open_directory_if_there(mount_point);
    if (!root) return {};
    CgroupWalk walk(*root);
    FoundService found{.cgroups = choose(walk)};
    CgroupWalk::Members members;
    for (const std::string& path : found.cgroups) walk.collect(path, members);
    found.processes = sorted(members.processes);
    found.threads = sorted(members.threads);
    found.found = !found.cgroups.empty();
    return found;
  }

  FoundService of_processes(const std::function<bool(unsigned)>& wanted) {
    std::set<unsigned> processes;
    for (const unsigned process : table_.processes()) {
      if (wanted(process)) processes.insert(process);
    }
    return of_processes(processes);
  }

  FoundService of_processes(const std::set<unsigned>& processes) {
    FoundService found;
    std::set<unsigned> threads;
    std::set<unsigned> alive;
    for (const unsigned process : processes) {
      const std::vector<unsigned> own = table_.threads(process);
      threads.insert(own.begin(), own.end());
      if (!own.empty()) alive.insert(process);
    }
    found.processes = sorted(alive);
    found.threads = sorted(threads);
    found.cgroups = cgroups_of(alive);
    found.found = !alive.empty();
    return found;
  }

  std::vector<std::string> cgroups_of(const std::set<unsigned>& processes) {
    if (hierarchy_.version == CgroupVersion::none) return {};
    std::set<std::string> paths;
    for (const unsigned process : processes) paths.insert(cgroup_of(process));
    return {paths.begin(), paths.end()};
  }

  std::set<unsigned> read_pidfile(const std::string& path) {
    const auto slash = path.rfind('/');
    const auto folder = files_.open_directory_if_there(slash == 0 ? "/" : path.substr(0, slash));
    const auto content = folder ? folder->read_if_there(path.substr(slash + 1)) : std::nullopt;
    if (!content || trim(*content).empty()) return {};  // a service writes it after it has started
    const auto process = parse_integer<unsigned>(trim(*content));
    if (process) return {*process};
    constexpr std::size_t kShown = 40;
    throw Error(ErrorDetail{.code = ErrorCode::invalid,
                            .message = "a pidfile holds one process id, not '" +
                                       std::string(trim(*content).substr(0, kShown)) + "'",
                            .path = path});
  }

  FileSystem& files_;
  Hierarchy hierarchy_;
  UnitManager* units_;
  ProcessTable table_;
};

ServiceFinder::ServiceFinder(FileSystem& files, const Hierarchy& hierarchy, UnitManager* units)
    : impl_(std::make_unique<Impl>(files, hierarchy, units)) {}

ServiceFinder::~ServiceFinder() = default;

FoundService ServiceFinder::find(const Select& select) {
  return impl_->find(select);
}

std::vector<ServiceFinder::Thread> ServiceFinder::all_threads() {
  return impl_->all_threads();
}

std::vector<unsigned> ServiceFinder::processes_in(const std::string& cgroup) {
  return impl_->processes_in(cgroup);
}

std::optional<unsigned> ServiceFinder::process_of(unsigned thread) {
  return impl_->processes().process_of(thread);
}

bool ServiceFinder::is_kernel_thread(unsigned process) {
  return impl_->processes().is_kernel_thread(process);
}

std::optional<std::uint64_t> ServiceFinder::started(unsigned process) {
  return impl_->processes().started(process);
}

std::string ServiceFinder::cgroup_of(unsigned process) {
  return impl_->cgroup_of(process);
}

}  // namespace bulkhead

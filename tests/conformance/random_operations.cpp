// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/random_operations.h"

#include <algorithm>

#include "controller/base/error.h"
#include "controller/base/way_mask.h"
#include "tests/conformance/host.h"

namespace bulkhead::conformance {
namespace {

const std::string kCgroups = "/sys/fs/cgroup";
constexpr unsigned kControlGroups = 18;  // more than there are CLOSIDs
constexpr unsigned kMostProcesses = 8;

Operation operation(std::string verb, std::vector<std::string> arguments) {
  Operation made;
  made.verb = std::move(verb);
  made.arguments = std::move(arguments);
  return made;
}

}  // namespace

SoakHost soak_host(const std::string& name) {
  if (name == "amd-12ccd-nps2") return {name, 24, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 16, 2048};
  if (name == "intel-2socket") return {name, 24, {0, 1}, 12, 100};
  throw Error(ErrorCode::invalid, "no soak for host " + name + ": take amd-12ccd-nps2 or intel-2socket");
}

const std::vector<RandomOperations::Kind>& RandomOperations::kinds() {
  using R = RandomOperations;
  static const std::vector<Kind> all{
      {9, &R::make_group},      {6, &R::remove_group}, {2, &R::rename_group},   {16, &R::write_schemata},
      {10, &R::write_cpus},     {12, &R::write_tasks}, {5, &R::write_mode},     {16, &R::read_group},
      {6, &R::read_task},       {3, &R::start_task},   {2, &R::end_task},       {1, &R::switch_cpu},
      {3, &R::change_cgroup},   {6, &R::write_cpuset}, {4, &R::move_to_cgroup}, {10, &R::read_cgroup},
      {6, &R::write_partition},
  };
  return all;
}

Operation RandomOperations::next() {
  unsigned sum = 0;
  for (const Kind& kind : kinds()) sum += kind.weight;
  unsigned drawn = below(sum);
  for (const Kind& kind : kinds()) {
    if (drawn < kind.weight) return (this->*kind.make)();
    drawn -= kind.weight;
  }
  return {};
}

void RandomOperations::happened(const Operation& done, int error) {
  if (error != 0) return;
  const std::string& first = done.arguments.empty() ? done.verb : done.arguments[0];
  if (done.verb == "spawn") processes_.push_back(first);
  if (done.verb == "spawn" || done.verb == "thread" || done.verb == "fork") tasks_.push_back(first);
  if (done.verb == "end") std::erase(processes_, first.substr(1));
}

bool RandomOperations::changes_cpusets(const Operation& operation) {
  const std::string& path = operation.arguments[0];
  return operation.verb == "online" || operation.verb == "offline" ||
         (operation.verb == "write" && path.starts_with(kCgroups + "/") &&
          path.find("/cpuset.") != std::string::npos);
}

std::vector<Operation> RandomOperations::cpuset_reads() const {
  std::vector<Operation> all{operation("read", {kCgroups + "/cpuset.cpus.effective"})};
  for (const char* group : {"/P", "/P/x", "/Q", "/Q/x"}) {
    for (const char* file :
         {"/cpuset.cpus.partition", "/cpuset.cpus.effective", "/cpuset.cpus.exclusive.effective"}) {
      all.push_back(operation("read", {kCgroups + group + file}));
    }
  }
  return all;
}

std::vector<Operation> RandomOperations::ending() const {
  std::vector<Operation> all;
  for (const char* path : {"/P/x", "/Q/x", "/P", "/Q"}) {
    all.push_back(operation("write", {kCgroups + path + "/cpuset.cpus.partition", "member\n"}));
  }
  return all;
}

std::string RandomOperations::control_group() {
  return one_in(5) ? "" : "/g" + std::to_string(below(one_in(3) ? kControlGroups : 4));
}

std::string RandomOperations::group() {
  const std::string control = control_group();
  return one_in(3) ? control + "/mon_groups/m" + std::to_string(below(2)) : control;
}

std::string RandomOperations::mask() {
  static const std::vector<std::string> odd{"0", "xyz", "", "1ffff", "-1", "0x3", "f0f", " 3", "3 "};
  if (one_in(6)) return one_of(odd);
  const unsigned first = below(host_.mask_bits);
  const unsigned last = first + below(host_.mask_bits - first);
  std::uint64_t bits = 0;
  for (unsigned bit = first; bit <= last; ++bit) bits |= std::uint64_t{1} << bit;
  return WayMask{bits}.to_hex();
}

std::string RandomOperations::limit() {
  static const std::vector<std::string> odd{"0", "abc", "", "-1", "4294967296", "0x10", " 20", "1.5"};
  return one_in(6) ? one_of(odd) : std::to_string(below(host_.largest_limit + 10));
}

std::string RandomOperations::cpus() {
  static const std::vector<std::string> odd{"", "99", "3-1", "abc", "all", "0-6:1/2", "1,,2", "1-", "22-25"};
  static const std::vector<std::string> few{"0-3", "2-5", "4-7", "4-5", "6-7", "4-9"};
  if (one_in(6)) return one_of(odd);
  if (one_in(3)) return one_of(few);  // so that they are often the same, or parts of others
  const unsigned first = below(host_.cpus);
  const unsigned last = std::min(first + below(6), host_.cpus - 1);
  std::string text = std::to_string(first) + (last > first ? "-" + std::to_string(last) : "");
  if (one_in(3)) text += "," + std::to_string(below(host_.cpus));
  return text;
}

std::string RandomOperations::task() {
  static const std::vector<std::string> odd{"400000", "abc", "", "-1", "1.5", "99999999999"};
  return tasks_.empty() || one_in(10) ? one_of(odd) : "$" + one_of(tasks_);
}

std::string RandomOperations::cgroup() {
  static const std::vector<std::string> paths{"/P", "/Q", "/P/x", "/Q/x"};
  return one_of(paths);
}

Operation RandomOperations::make_group() {
  return operation("mkdir", {kResctrl + group()});
}

Operation RandomOperations::remove_group() {
  std::string path = group();
  if (path.empty()) path = "/mon_groups";
  return operation("rmdir", {kResctrl + path});
}

Operation RandomOperations::rename_group() {
  return operation("rename",
                   {kResctrl + (one_in(4) ? "/info" : group() + "/mon_groups/m0"), kResctrl + group()});
}

Operation RandomOperations::write_schemata() {
  std::string text;
  for (unsigned lines = 1 + below(2); lines > 0; --lines) {
    const bool cache = !one_in(3);
    text += one_in(20) ? "L2" : cache ? "L3" : "MB";
    text += one_in(30) ? "" : ":";
    for (unsigned count = 1 + below(3); count > 0; --count) {
      text +=
          std::to_string(one_in(15) ? below(30) : one_of(host_.domains)) + "=" + (cache ? mask() : limit());
      if (count > 1) text += ";";
    }
    text += "\n";
  }
  // All domains, so that groups can become exclusive.
  if (one_in(3)) {
    const std::string same = mask();
    text = "L3:";
    for (const unsigned domain : host_.domains) text += std::to_string(domain) + "=" + same + ";";
    text += "\n";
  }
  if (one_in(20)) text.pop_back();
  return operation("write", {kResctrl + control_group() + "/schemata", text});
}

Operation RandomOperations::write_cpus() {
  return operation("write", {kResctrl + group() + "/cpus_list", cpus() + "\n"});
}

Operation RandomOperations::write_tasks() {
  std::string text = task();
  if (one_in(8)) text += (one_in(2) ? "," : "\n") + task();
  return operation("write", {kResctrl + group() + "/tasks", text + "\n"});
}

Operation RandomOperations::write_mode() {
  static const std::vector<std::string> words{"shareable\n", "exclusive\n", "exclusive\n",
                                              "exclusive",   "foo\n",       "pseudo-locksetup\n"};
  return operation("write", {kResctrl + control_group() + "/mode", one_of(words)});
}

Operation RandomOperations::read_group() {
  static const std::vector<std::string> files{"/schemata", "/schemata", "/size",
                                              "/mode",     "/cpus",     "/cpus_list"};
  if (one_in(8)) return operation("read", {kResctrl + "/info/L3/bit_usage"});
  if (one_in(8)) return operation("list", {kResctrl + group()});
  // The root group has all tasks of the host.
  if (one_in(4)) return operation("read", {kResctrl + "/g" + std::to_string(below(4)) + "/tasks"});
  return operation("read", {kResctrl + group() + one_of(files)});
}

Operation RandomOperations::read_task() {
  if (tasks_.empty()) return read_group();
  const std::string folder = "/proc/$" + one_of(tasks_);
  return operation("read", {folder + "/cpu_resctrl_groups"});
}

Operation RandomOperations::start_task() {
  const std::string name = "T" + std::to_string(tasks_made_++) + "_";
  if (processes_.empty() || (one_in(3) && processes_.size() < kMostProcesses))
    return operation("spawn", {name});
  return operation(one_in(2) ? "thread" : "fork", {name, "$" + one_of(processes_)});
}

Operation RandomOperations::end_task() {
  return processes_.size() < 2 ? start_task() : operation("end", {"$" + one_of(processes_)});
}

Operation RandomOperations::switch_cpu() {
  if (isolates_) return write_partition();
  if (!offline_.empty()) {
    const unsigned cpu = offline_.back();
    offline_.pop_back();
    return operation("online", {std::to_string(cpu)});
  }
  offline_.push_back(1 + below(host_.cpus - 1));
  return operation("offline", {std::to_string(offline_.back())});
}

Operation RandomOperations::change_cgroup() {
  const std::string path = kCgroups + cgroup();
  if (one_in(3)) {
    const std::string parent = one_in(3) ? kCgroups : kCgroups + (one_in(2) ? "/P" : "/Q");
    return operation("write", {parent + "/cgroup.subtree_control", one_in(4) ? "-cpuset\n" : "+cpuset\n"});
  }
  return operation(one_in(3) ? "rmdir" : "mkdir", {path});
}

Operation RandomOperations::write_cpuset() {
  static const std::vector<std::string> nodes{"0\n", "1\n", "0-1\n", "2\n", "x\n"};
  const std::string path = kCgroups + cgroup();
  if (one_in(6)) return operation("write", {path + "/cpuset.mems", one_of(nodes)});
  const std::string list = cpus();
  // A newer kernel can find that the deadline scheduler needs the CPUs that an exclusive group would lose.
  if (host_.exclusive_cpus && list.empty()) return read_cgroup();
  return operation("write", {path + "/cpuset.cpus", list + "\n"});
}

Operation RandomOperations::write_partition() {
  static const std::vector<std::string> words{"root\n", "root\n", "member\n", "foo\n"};
  const std::string path = kCgroups + cgroup();
  if (host_.exclusive_cpus && one_in(3)) {
    return operation("write", {path + "/cpuset.cpus.exclusive", cpus() + "\n"});
  }
  const bool isolates = (isolates_ || host_.exclusive_cpus) && one_in(4);
  return operation("write", {path + "/cpuset.cpus.partition", isolates ? "isolated\n" : one_of(words)});
}

Operation RandomOperations::move_to_cgroup() {
  const std::string path = one_in(4) ? kCgroups : kCgroups + cgroup();
  return operation("write", {path + "/cgroup.procs", task() + "\n"});
}

Operation RandomOperations::read_cgroup() {
  static const std::vector<std::string> files{
      "/cpuset.cpus", "/cpuset.cpus.effective", "/cpuset.mems.effective", "/cgroup.subtree_control",
      "/cgroup.type", "/cgroup.events",         "/cpuset.cpus.partition", "/cpuset.cpus.partition"};
  static const std::vector<std::string> newer{"/cpuset.cpus.exclusive", "/cpuset.cpus.exclusive.effective"};
  if (one_in(6)) return operation("read", {kCgroups + "/cpuset.cpus.effective"});
  if (one_in(4) && !tasks_.empty()) return operation("read", {"/proc/$" + one_of(tasks_) + "/cgroup"});
  if (host_.exclusive_cpus && one_in(8)) return operation("read", {kCgroups + "/cpuset.cpus.isolated"});
  if (host_.exclusive_cpus && one_in(4)) return operation("read", {kCgroups + cgroup() + one_of(newer)});
  return operation("read", {kCgroups + cgroup() + one_of(files)});
}

}  // namespace bulkhead::conformance

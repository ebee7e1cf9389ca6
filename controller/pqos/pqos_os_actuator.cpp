// SPDX-License-Identifier: Apache-2.0
#include "controller/pqos/pqos_os_actuator.h"

#include <algorithm>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/pqos/os_requirements.h"
#include "controller/resctrl/class_name.h"
#include "controller/resctrl/group_path.h"

namespace bulkhead {
namespace {

std::string folder_of(unsigned number) {
  return number == 0 ? "" : class_name(number);
}

PqosClass class_of(unsigned number, ObservedGroup&& group) {
  return {.number = number,
          .schemata = std::move(group.schemata),
          .cpus = number == 0 ? CpuSet{} : group.cpus,
          .monitoring = std::move(group.monitoring)};
}

std::string names_of(const std::vector<ObservedMonitoringGroup>& groups) {
  std::vector<std::string> names;
  for (const ObservedMonitoringGroup& group : groups) {
    names.push_back(in_group(std::string(kMonitoringFolder), group.name));
  }
  return join(names, ", ");
}

}  // namespace

PqosOsActuator::PqosOsActuator(FileSystem& files, const Machine& machine, PqosHelperOptions helper)
    : PqosActuator(machine, PqosInterface::os, std::move(helper)), resctrl_(files), files_(files) {}

Capabilities PqosOsActuator::capabilities(const std::string& vendor,
                                          const std::vector<ObservedGroup>& groups) {
  Capabilities found = resctrl_.capabilities(vendor, groups);
  if (found.l3) found.l3->closids = std::min(found.l3->closids, kMostPqosClasses);
  if (found.memory) found.memory->closids = std::min(found.memory->closids, kMostPqosClasses);
  closids_ = found.closids();
  return found;
}

std::vector<unsigned> PqosOsActuator::tasks_of(const std::string& group) {
  const auto number = number_of(group);
  return resctrl_.tasks_of(number ? folder_of(*number) : group);
}

void PqosOsActuator::adopt(const GroupClasses& remembered, const std::vector<Step>& interrupted) {
  PqosActuator::adopt(remembered, interrupted);
  caused_ = caused_ || !remembered.empty() || !interrupted.empty();
  helper_.start();  // before processes are listed
}

// libpqos says that a file could not be closed; why, the kernel knows.
void PqosOsActuator::apply(const Step& step) {
  try {
    PqosActuator::apply(step);
  } catch (const Error& error) {
    const std::string why = error.code() == ErrorCode::refused && usable() ? resctrl_.last_words() : "";
    if (why.empty()) throw;
    ErrorDetail detail = error.detail();
    detail.message += "; the kernel says: " + why;
    detail.kernel_status = why;
    throw Error(std::move(detail));
  }
}

// From the first step on the classes' folders may be there because of us.
void PqosOsActuator::require_writable() {
  if (!usable() || presence().read_only) throw Error(ErrorCode::unsupported, presence().explanation);
  caused_ = true;
}

std::vector<PqosClass> PqosOsActuator::read_classes() {
  std::vector<PqosClass> classes;
  for (ObservedGroup& group : resctrl_.observe()) {
    const auto number = group.name.empty() ? 0 : parse_class_name(group.name);
    if (number && *number < kMostPqosClasses) classes.push_back(class_of(*number, std::move(group)));
  }
  std::sort(classes.begin(), classes.end(),
            [](const PqosClass& left, const PqosClass& right) { return left.number < right.number; });
  return classes;
}

std::optional<PqosClass> PqosOsActuator::read_class(unsigned number) {
  std::vector<ObservedGroup> found = resctrl_.observe({folder_of(number)});
  if (found.empty()) return std::nullopt;
  return class_of(number, std::move(found.front()));
}

std::vector<unsigned> PqosOsActuator::tasks_of_class(unsigned number) {
  return resctrl_.tasks_of(folder_of(number));
}

PqosActuator::Unused PqosOsActuator::unused() {
  const Capabilities found = resctrl_.capabilities(machine_.vendor, {});
  const bool percent = found.memory && found.memory->unit == BandwidthUnit::percent;
  return {.mask = found.l3 ? found.l3->full.bits : 0,
          .bandwidth = percent ? found.memory->unlimited : kLargestPqosBandwidthOnAmd};
}

// Not through libpqos: it would write the default group's list, and then the kernel takes all CPUs from that
// group's monitoring groups, which are others'.
void PqosOsActuator::keep_cpus(unsigned number, const CpuSet& kept, const CpuSet&) {
  resctrl_.apply({.kind = StepKind::write_cpus, .target = folder_of(number), .text = kept.to_list()});
}

void PqosOsActuator::require_host(const Observed&) {
  refuse_for_pqos_os(files_, presence(), machine_, resctrl_.capabilities(machine_.vendor), resctrl_.observe(),
                     !classes_.empty());
  helper_.require_library();
}

void PqosOsActuator::settle() {
  if (!caused_ || !classes_.empty() || !usable()) return;
  helper_.end();
  caused_ = false;
  std::vector<std::string> removed;
  try {
    for (const PqosClass& one : read_classes()) {
      if (one.number == 0) continue;
      const std::string name = class_name(one.number);
      if (!one.monitoring.empty()) {
        notes_.push_back("group " + name + " of libpqos stays: somebody else counts in it (" +
                         names_of(one.monitoring) + ')');
      } else if (is_used(one)) {
        notes_.push_back("group " + name + " of libpqos stays: somebody else uses it");
      } else {
        resctrl_.apply({.kind = StepKind::remove_group, .target = name});
        removed.push_back(name);
      }
    }
  } catch (const Error& error) {
    notes_.push_back("groups of libpqos are left: " + std::string(error.what()));
  }
  if (!removed.empty())
    notes_.push_back("the groups that libpqos had made were removed: " + join(removed, ", "));
}

}  // namespace bulkhead

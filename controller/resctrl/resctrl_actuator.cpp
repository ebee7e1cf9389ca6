// SPDX-License-Identifier: Apache-2.0
#include "controller/resctrl/resctrl_actuator.h"

#include <cerrno>
#include <chrono>
#include <thread>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/resctrl/group_files.h"
#include "controller/resctrl/group_path.h"
#include "controller/resctrl/schemata.h"
#include "controller/resctrl/task_mover.h"

namespace bulkhead {
namespace {

constexpr std::string_view kOutOfRmids = "Out of RMIDs";  // the kernel's words

std::string with_newline(std::string text) {
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

Error with_message(const Error& error, ErrorCode code, const std::string& addition) {
  ErrorDetail detail = error.detail();
  detail.code = code;
  detail.message += ": " + addition;
  return Error(std::move(detail));
}

// The kernel refuses an unknown domain without a word.
std::string unknown_domains(const Schemata& asked, const Schemata& known) {
  std::string names;
  for (const auto& [resource, values] : asked) {
    const auto line = known.find(resource);
    for (const auto& [domain, value] : values) {
      if (line != known.end() && line->second.contains(domain)) continue;
      names += (names.empty() ? "" : ", ") + std::string(resource_name(resource)) + ' ' + to_string(domain);
    }
  }
  return names;
}

}  // namespace

ResctrlActuator::ResctrlActuator(FileSystem& files, LimboPatience patience)
    : files_(files), patience_(patience), presence_(find_resctrl(files)) {
  if (!mounted()) return;
  groups_ = std::make_unique<GroupFiles>(files_.open_directory(presence_.mount_point));
  mover_ = std::make_unique<TaskMover>(*groups_);
}

ResctrlActuator::~ResctrlActuator() = default;

GroupFiles& ResctrlActuator::groups() {
  if (!groups_) throw Error(ErrorCode::unsupported, presence_.explanation);
  return *groups_;
}

TaskMover& ResctrlActuator::mover() {
  groups();
  return *mover_;
}

Capabilities ResctrlActuator::capabilities(const std::string& vendor) {
  return capabilities(vendor, mounted() ? observe() : std::vector<ObservedGroup>{});
}

Capabilities ResctrlActuator::capabilities(const std::string& vendor,
                                           const std::vector<ObservedGroup>& groups) {
  if (!mounted()) return {};
  if (!info_) info_ = read_info(this->groups().root(), presence_.mount_options, vendor);
  std::vector<Schemata> schemata;
  for (const ObservedGroup& group : groups) schemata.push_back(group.schemata);
  Capabilities found = *info_;
  add_from_groups(schemata, this->groups().root(), found);
  return found;
}

std::vector<unsigned> ResctrlActuator::tasks_of(const std::string& group) {
  return mover().tasks_of(group);
}

std::unique_ptr<FileLock> ResctrlActuator::lock(int patience_ms) {
  return groups().root().lock(patience_ms);
}

std::string ResctrlActuator::last_words() {
  return groups().status();
}

void ResctrlActuator::apply(const Step& step) {
  groups();
  if (presence_.read_only) throw Error(ErrorCode::unsupported, presence_.explanation);
  switch (step.kind) {
    case StepKind::make_group:
      return make_group(step.target);
    case StepKind::remove_group:
      return remove_group(step.target);
    case StepKind::write_schemata:
      return write_schemata(step.target, with_newline(step.text));
    case StepKind::write_cpus:
      return groups().write(step.target, "cpus_list", with_newline(step.text));
    case StepKind::move_tasks:
      return mover().move(step.target, step.tasks);
    default:
      throw Error(ErrorCode::internal,
                  "a cgroup step was given to resctrl: " + std::string(to_string(step.kind)));
  }
}

void ResctrlActuator::make_group(const std::string& group) {
  for (int left = patience_.tries;; --left) {
    try {
      groups().make(group);
      not_ours_.erase(group);
      return;
    } catch (const Error& error) {
      const int number = error.detail().error_number;
      if (number == EEXIST) {
        not_ours_.insert(group);
        throw with_message(error, ErrorCode::conflict, "another program has made it meanwhile");
      }
      if (number == EPERM && !is_monitoring_path(group)) {
        throw with_message(error, ErrorCode::unsupported,
                           "resctrl on this host only monitors, control groups need allocation");
      }
      if (number == ENOSPC && error.detail().kernel_status == kOutOfRmids) {
        throw with_message(
            error, ErrorCode::refused,
            "groups hold all " + rmid_count() + ": remove monitoring groups that nobody needs");
      }
      if (number != EBUSY) throw;
      if (left <= 1) {
        throw with_message(
            error, ErrorCode::refused,
            "of " + rmid_count() +
                " all free ones still count cache lines of groups removed before (limbo), and after " +
                counted(static_cast<std::size_t>(patience_.tries), "attempt") +
                " none is clean: wait, remove monitoring groups, or raise "
                "info/L3_MON/max_threshold_occupancy");
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(patience_.wait_ms));
  }
}

std::string ResctrlActuator::rmid_count() {
  const auto text = groups().root().read_if_there("info/L3_MON/num_rmids");
  const auto count = text ? parse_integer<std::size_t>(trim(*text)) : std::nullopt;
  return count ? counted(*count, "RMID") : "the RMIDs";
}

void ResctrlActuator::remove_group(const std::string& group) {
  try {
    groups().remove(group);
  } catch (const Error& error) {
    if (error.detail().error_number != ENOENT) throw;  // gone is what was wanted
  }
}

void ResctrlActuator::write_schemata(const std::string& group, const std::string& text) {
  try {
    groups().write(group, "schemata", text);
  } catch (const Error& error) {
    if (error.detail().error_number != EINVAL || !error.detail().kernel_status.empty()) throw;
    const auto now = groups().read(group, "schemata");
    const std::string unknown = now ? unknown_domains(parse_schemata(text), parse_schemata(*now)) : "";
    throw with_message(error, ErrorCode::refused,
                       "the kernel gives no reason, which it does when it does not know a domain" +
                           (unknown.empty() ? "" : "; here " + unknown));
  }
}

}  // namespace bulkhead

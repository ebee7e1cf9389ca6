// SPDX-License-Identifier: Apache-2.0
#include "cgroup/process_table.h"

#include <algorithm>
#include <cerrno>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/kernel/paths.h"

namespace bulkhead {
namespace {

std::vector<unsigned> numbers_among(const std::vector<DirectoryEntry>& entries) {
  std::vector<unsigned> numbers;
  for (const DirectoryEntry& entry : entries) {
    if (const auto number = parse_integer<unsigned>(entry.name)) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// The value of "Name:\tvalue" in a status file.
std::optional<std::string_view> field(std::string_view status, std::string_view name) {
  for (const std::string_view line : split(status, '\n')) {
    if (line.starts_with(name) && line.substr(name.size()).starts_with(':')) {
      return trim(line.substr(name.size() + 1));
    }
  }
  return std::nullopt;
}

// proc(5)'s stat: the name stands in brackets and may have blanks and brackets in it.
struct StatLine {
  std::string_view name;
  std::vector<std::string_view> fields;  // those after the name

  // Fields are numbered from 1 in the manual; the name is the second.
  template <class T>
  std::optional<T> field_number(std::size_t number) const {
    constexpr std::size_t kFirst = 3;
    return number - kFirst < fields.size() ? parse_integer<T>(fields[number - kFirst]) : std::nullopt;
  }
};

std::optional<StatLine> parse_stat(std::string_view text) {
  const auto name = text.find('(');
  const auto name_end = text.rfind(") ");
  if (name == std::string_view::npos || name_end == std::string_view::npos || name_end < name)
    return std::nullopt;
  return StatLine{text.substr(name + 1, name_end - name - 1), split(trim(text.substr(name_end + 2)), ' ')};
}

}  // namespace

ProcessTable::ProcessTable(FileSystem& files) : proc_(files.open_directory(std::string(paths::kProc))) {}

std::vector<unsigned> ProcessTable::processes() {
  return numbers_among(proc_->list());
}

std::vector<unsigned> ProcessTable::threads(unsigned process) {
  const auto folder = proc_->open_directory_if_there(std::to_string(process) + "/task");
  if (!folder) return {};
  try {
    return numbers_among(folder->list());
  } catch (const Error& error) {
    if (error.code() == ErrorCode::not_found) return {};  // it ended after the folder was opened
    throw;
  }
}

std::optional<std::string> ProcessTable::program(unsigned process) {
  constexpr std::string_view kDeleted = " (deleted)";
  try {
    std::string path = proc_->read_link(std::to_string(process) + "/exe");
    if (path.ends_with(kDeleted)) path.resize(path.size() - kDeleted.size());
    return path;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::not_found || error.code() == ErrorCode::permission) return std::nullopt;
    throw;
  }
}

std::optional<std::string> ProcessTable::name(unsigned process) {
  const auto text = read(process, "comm");
  if (!text) return std::nullopt;
  return text->substr(0, text->find('\n'));
}

// Newer kernels say it; on older ones it is what has neither memory nor a program and is no zombie.
bool ProcessTable::is_kernel_thread(unsigned process) {
  const auto status = read(process, "status");
  if (!status) return false;
  if (const auto said = field(*status, "Kthread")) return *said == "1";
  const bool zombie = field(*status, "State").value_or("").starts_with('Z');
  return !zombie && !field(*status, "VmSize") && !program(process);
}

// Lines are "number:controllers:/path"; cgroup v2's is "0::/path".
std::optional<std::string> ProcessTable::cgroup(unsigned process, std::string_view controller) {
  const auto text = read(process, "cgroup");
  for (const std::string_view line : text ? split(*text, '\n') : std::vector<std::string_view>{}) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view listed = line.substr(first + 1, second - first - 1);
    const auto controllers = split(listed, ',');
    const bool matches = controller.empty() ? listed.empty()
                                            : std::find(controllers.begin(), controllers.end(), controller) !=
                                                  controllers.end();
    if (matches) return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

std::optional<unsigned> ProcessTable::process_of(unsigned thread) {
  const auto status = read(thread, "status");
  const auto process = status ? field(*status, "Tgid") : std::nullopt;
  return process ? parse_integer<unsigned>(*process) : std::nullopt;
}

std::optional<std::uint64_t> ProcessTable::started(unsigned process) {
  const auto text = read(process, "stat");
  const auto line = text ? parse_stat(*text) : std::nullopt;
  return line ? line->field_number<std::uint64_t>(22) : std::nullopt;
}

std::optional<ProcessTable::Status> ProcessTable::status(unsigned process, unsigned thread) {
  const auto text = read(process, "task/" + std::to_string(thread) + "/status");
  if (!text) return std::nullopt;
  return Status{.name = std::string(field(*text, "Name").value_or("")),
                .allowed_cpus = std::string(field(*text, "Cpus_allowed_list").value_or(""))};
}

std::optional<ProcessTable::Run> ProcessTable::run(unsigned process, unsigned thread) {
  constexpr std::uint64_t kIsKernelThread = 0x200000;  // PF_KTHREAD
  const auto text = read(process, "task/" + std::to_string(thread) + "/stat");
  const auto line = text ? parse_stat(*text) : std::nullopt;
  if (!line) return std::nullopt;
  const auto flags = line->field_number<std::uint64_t>(9);
  const auto user = line->field_number<std::uint64_t>(14), system = line->field_number<std::uint64_t>(15);
  const auto cpu = line->field_number<unsigned>(39);
  if (!flags || !user || !system || !cpu) return std::nullopt;
  return Run{.name = std::string(line->name),
             .ticks = *user + *system,
             .cpu = *cpu,
             .kernel = (*flags & kIsKernelThread) != 0};
}

std::optional<std::string> ProcessTable::read(unsigned process, const std::string& file) {
  return proc_->read_if_there(std::to_string(process) + '/' + file);
}

}  // namespace bulkhead

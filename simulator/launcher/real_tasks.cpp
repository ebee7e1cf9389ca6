// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/real_tasks.h"

#include <algorithm>
#include <dirent.h>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "controller/base/error.h"
#include "controller/base/text.h"

namespace bulkhead::sim {
namespace {

using Stat = RealTasks::Stat;

// "12 (name) S 4 ...": the name may hold anything, also ')'.
std::optional<Stat> read_stat(int proc, unsigned process) {
  const UniqueFd file(::openat(proc, (std::to_string(process) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  char buffer[1024];
  const ssize_t length = file ? ::read(file.get(), buffer, sizeof buffer) : -1;
  if (length <= 0) return std::nullopt;
  const std::string_view text(buffer, static_cast<std::size_t>(length));
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
  const auto fields = split(text.substr(close + 2), ' ');
  if (fields.size() < 2) return std::nullopt;
  return Stat{.name = std::string(text.substr(open + 1, close - open - 1)),
              .zombie = fields[0] == "Z",
              .parent = parse_integer<unsigned>(fields[1]).value_or(0)};
}

}  // namespace

RealTasks::RealTasks(const std::string& proc, KernelModel& kernel)
    : proc_(::open(proc.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), kernel_(kernel), marks_(proc_.get()) {
  if (!proc_) throw Error::from_errno(errno, "cannot open", proc);
  std::vector<unsigned> own;
  for (const auto& [id, task] : kernel.world().tasks) {
    if (id != 1) own.push_back(id);
  }
  for (const unsigned id : own) kernel.end(id);
  known_ = {1};
  kernel.set_writer(1);
}

std::set<unsigned> RealTasks::numbers_in(const std::string& folder) const {
  std::set<unsigned> numbers;
  const int descriptor = ::openat(proc_.get(), folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const stream = descriptor < 0 ? nullptr : ::fdopendir(descriptor);
  if (stream == nullptr) return numbers;
  while (const dirent* entry = ::readdir(stream)) {
    if (const auto number = parse_integer<unsigned>(entry->d_name)) numbers.insert(*number);
  }
  ::closedir(stream);
  return numbers;
}

void RealTasks::look_at(unsigned process, const std::set<unsigned>& threads) {
  const std::optional<Stat> stat = read_stat(proc_.get(), process);
  if (!stat) return;  // it has ended
  if (!std::ranges::includes(known_, threads)) adopt(process, *stat, threads);
  const auto task = kernel_.world().tasks.find(process);
  if (stat->zombie && task != kernel_.world().tasks.end() && !task->second.zombie)
    kernel_.become_zombie(process);
}

void RealTasks::adopt(unsigned process, const Stat& stat, const std::set<unsigned>& threads) {
  struct stat owner {};
  if (::fstatat(proc_.get(), std::to_string(process).c_str(), &owner, 0) != 0) return;
  const NewProcess what{.name = stat.name, .executable = "", .user = owner.st_uid};
  if (!known_.contains(process)) adopt_one(process, process, stat.parent, what);
  for (const unsigned thread : threads) {
    if (thread != process && !known_.contains(thread)) adopt_one(thread, process, stat.parent, what);
  }
}

void RealTasks::adopt_one(unsigned thread, unsigned process, unsigned parent, const NewProcess& what) {
  kernel_.adopt(thread, process, parent, what);
  if (const Task* creator = marks_.inherited(thread)) kernel_.place_like(thread, *creator);
}

void RealTasks::note_places() {
  marks_.mark(kernel_.world().tasks);
}

// In the order of ids, so that a parent is there before its child.
void RealTasks::update() {
  std::set<unsigned> alive;
  for (const unsigned process : numbers_in(".")) {
    const std::set<unsigned> threads = numbers_in(std::to_string(process) + "/task");
    look_at(process, threads);
    for (const unsigned thread : threads) {
      if (kernel_.world().tasks.contains(thread)) alive.insert(thread);
    }
  }
  for (const unsigned gone : known_) {
    // A process takes its threads with it.
    if (!alive.contains(gone) && kernel_.world().tasks.contains(gone)) kernel_.end(gone);
  }
  known_ = std::move(alive);
  note_places();
}

}  // namespace bulkhead::sim

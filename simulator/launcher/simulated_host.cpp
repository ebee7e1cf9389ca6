// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/simulated_host.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <set>
#include <thread>
#include <unistd.h>

#include "controller/base/text.h"
#include "controller/base/unique_fd.h"
#include "simulator/launcher/proc_view.h"

namespace bulkhead::sim {
namespace {

constexpr std::string_view kDevices = "/dev";
constexpr std::string_view kHsmp = "/dev/hsmp";

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Files that show which tasks there are, or that depend on it.
bool shows_tasks(std::string_view path) {
  constexpr std::array<std::string_view, 5> kNames = {"tasks", "cgroup.procs", "cgroup.threads",
                                                      "cgroup.events", "cgroup.type"};
  return path == "/proc" || path.ends_with("/task") ||
         std::ranges::find(kNames, name_of(path)) != kNames.end();
}

// Files of which a write may move tasks, or change on which CPUs they may run.
bool places_tasks(std::string_view path) {
  return shows_tasks(path) || path.starts_with("/sys/fs/cgroup/") || path.ends_with("/online");
}

std::optional<std::string> thread_folder_in(const std::string& path) {
  constexpr std::string_view kTask = "/task/";
  const auto task = path.starts_with("/proc/") ? path.find(kTask) : std::string::npos;
  if (task == std::string::npos) return std::nullopt;
  return path.substr(0, path.find('/', task + kTask.size()));
}

// The real kernel's answer; a process may have ended before its file is read, or meanwhile.
Answer read_real_file(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  Answer answer;
  char buffer[16384];
  for (;;) {
    const ssize_t got = file ? ::read(file.get(), buffer, sizeof buffer) : -1;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {.error = errno == ENOENT ? ESRCH : errno, .text = {}};
    if (got == 0) return answer;
    answer.text.append(buffer, static_cast<std::size_t>(got));
  }
}

// Links of /proc that differ with who looks.
std::string own_link(std::string_view path, const Caller& caller, unsigned process) {
  if (path == "/proc/self") return std::to_string(process);
  if (path == "/proc/thread-self") return std::to_string(process) + "/task/" + std::to_string(caller.thread);
  return path == "/proc/mounts" ? "self/mounts" : "";
}

}  // namespace

class SimulatedHost::File : public ServedFile {
 public:
  File(SimulatedHost& host, Handle handle) : host_(host), handle_(std::move(handle)) {}

  Answer read(const Caller& caller) override {
    bool blends = is_half_real(handle_.path);
    Answer answer;
    {
      const auto lock = host_.enter(handle_.path, caller, shows_tasks(handle_.path));
      answer = host_.kernel_.read(handle_);
      if (host_.is_kernel_thread(handle_.path)) blends = false;
    }
    if (answer.error == 0 && blends) {
      Answer real = read_real_file(host_.real_root_ + handle_.path);
      if (real.error != 0) return real;
      answer.text = half_real(handle_.path, real.text, answer.text);
    }
    return answer;
  }

  int write(std::string_view text, const Caller& caller) override {
    const auto lock = host_.enter(handle_.path, caller, places_tasks(handle_.path));
    const int error = host_.kernel_.write(handle_, text);
    if (places_tasks(handle_.path)) host_.note_places();
    return error;
  }

 private:
  SimulatedHost& host_;
  const Handle handle_;
};

// A device that knows ioctl(2) only.
class SimulatedHost::HsmpFile : public ServedFile {
 public:
  explicit HsmpFile(Hsmp& hsmp) : hsmp_(hsmp) {}

  Answer read(const Caller&) override { return {EINVAL, {}}; }
  int write(std::string_view, const Caller&) override { return EINVAL; }
  int control(unsigned long command, std::string& data, const OpenModes& modes) override {
    return hsmp_.control(command, data, modes);
  }

 private:
  Hsmp& hsmp_;
};

SimulatedHost::SimulatedHost(KernelShape shape) : kernel_(std::move(shape)) {
  kernel_.keep_log(false);
}

void SimulatedHost::follow_tasks(const std::string& real_root) {
  const std::lock_guard lock(mutex_);
  real_root_ = real_root;
  tasks_ = std::make_unique<RealTasks>(real_root + "/proc", kernel_.outside());
  tasks_->update();
}

void SimulatedHost::slow_down(const std::string& pattern, std::chrono::milliseconds time) {
  const std::lock_guard lock(mutex_);
  if (pattern.empty()) {
    slow_.clear();
  } else {
    slow_.emplace_back(pattern, time);
  }
}

std::unique_lock<std::mutex> SimulatedHost::enter(const std::string& path, const Caller& caller,
                                                  bool look_at_tasks) {
  std::unique_lock lock(mutex_);
  for (std::size_t rule = 0; rule < slow_.size(); ++rule) {
    const auto [pattern, time] = slow_[rule];
    if (!matches_pattern(path, pattern)) continue;
    lock.unlock();
    std::this_thread::sleep_for(time);
    lock.lock();
  }
  if (tasks_ && (look_at_tasks || is_outdated(path))) tasks_->update();
  const unsigned calling = process_of(caller);
  kernel_.outside().set_writer(calling);
  kernel_.outside().set_user(calling, caller.user);
  return lock;
}

// Whether the task that the path is about has begun or ended since all of them were looked at, which takes
// long.
bool SimulatedHost::is_outdated(const std::string& path) {
  const auto& tasks = kernel_.outside().world().tasks;
  const auto process = process_in(path);
  if (process && tasks.contains(*process) != exists_really("/proc/" + std::to_string(*process))) return true;
  const auto folder = thread_folder_in(path);
  const auto thread = folder ? parse_integer<unsigned>(name_of(*folder)) : std::nullopt;
  return thread && tasks.contains(*thread) != exists_really(*folder);
}

unsigned SimulatedHost::process_of(const Caller& caller) {
  const auto& tasks = kernel_.outside().world().tasks;
  auto task = tasks.find(caller.thread);
  if (task == tasks.end() && tasks_) {
    tasks_->update();
    task = tasks.find(caller.thread);
  }
  return task == tasks.end() ? 1 : task->second.process;
}

bool SimulatedHost::is_kernel_thread(const std::string& path) {
  const auto process = process_in(path);
  const auto& tasks = kernel_.outside().world().tasks;
  const auto task = process ? tasks.find(*process) : tasks.end();
  return task != tasks.end() && task->second.kernel;
}

bool SimulatedHost::exists_really(const std::string& path) const {
  std::error_code error;
  return !real_root_.empty() &&
         std::filesystem::exists(std::filesystem::symlink_status(real_root_ + path, error));
}

Facts SimulatedHost::facts(const std::string& path, const Caller& caller) {
  switch (place_of(path)) {
    case Place::real_root:
      return {0, NodeKind::directory, false, 0};
    case Place::real_link:
    case Place::linked:
      if (!exists_really(path)) return {ENOENT, NodeKind::absent, false, 0};
      return {0, NodeKind::link, false, 0};
    case Place::folder:
    case Place::modelled:
      break;
  }
  if (hsmp_ && path == kDevices) return {0, NodeKind::directory, false, 0};
  if (hsmp_ && path == kHsmp) return {0, NodeKind::file, true, 0};
  const auto lock = enter(path, caller);
  if (!own_link(path, caller, 1).empty()) return {0, NodeKind::link, false, 0};
  return kernel_.outside().facts(path);
}

Listing SimulatedHost::list(const std::string& path, const Caller& caller) {
  Listing listing;
  {
    const auto lock = enter(path, caller, shows_tasks(path));
    listing = kernel_.outside().list(path);
  }
  if (listing.error != 0 || place_of(path) != Place::folder || real_root_.empty()) return listing;
  std::set<std::string, std::less<>> names;
  for (const Entry& entry : listing.entries) names.insert(entry.name);
  std::error_code error;
  const std::filesystem::directory_iterator real(real_root_ + path, error);
  for (const auto& entry : real) {
    const std::string name = entry.path().filename();
    const bool is_process = path == "/proc" && parse_integer<unsigned>(name).has_value();
    if (!is_process && names.insert(name).second) listing.entries.push_back({name, false});
  }
  std::ranges::sort(listing.entries, {}, &Entry::name);
  return listing;
}

Answer SimulatedHost::read_link(const std::string& path, const Caller& caller) {
  const Place place = place_of(path);
  if (place == Place::linked) return {0, real_path(path)};
  if (place == Place::real_link) {
    const auto lock = enter(path, caller);
    if (is_kernel_thread(path)) return {ENOENT, {}};  // the placeholder for one has a program
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(real_root_ + path, error);
    return {error ? error.value() : 0, target};
  }
  const auto lock = enter(path, caller);
  const std::string own = own_link(path, caller, process_of(caller));
  return own.empty() ? kernel_.outside().read_link(path) : Answer{0, own};
}

Opened SimulatedHost::open(const std::string& path, OpenFor access, const Caller& caller) {
  if (hsmp_ && path == kHsmp) return {0, std::make_unique<HsmpFile>(*hsmp_)};
  const auto lock = enter(path, caller, shows_tasks(path));
  Handle handle = kernel_.outside().open(path, access);
  if (handle.error != 0) return {handle.error, nullptr};
  return {0, std::make_unique<File>(*this, std::move(handle))};
}

int SimulatedHost::create_file(const std::string& path, const Caller& caller) {
  const auto lock = enter(path, caller);
  return kernel_.outside().create_file(path);
}

int SimulatedHost::remove_file(const std::string& path, const Caller& caller) {
  const auto lock = enter(path, caller);
  return kernel_.outside().remove_file(path);
}

int SimulatedHost::make_directory(const std::string& path, const Caller& caller) {
  const auto lock = enter(path, caller);
  return kernel_.make_directory(path);
}

// Whether a cgroup may go depends on the processes in it.
int SimulatedHost::remove_directory(const std::string& path, const Caller& caller) {
  const auto lock = enter(path, caller, true);
  const int error = kernel_.remove_directory(path);
  note_places();
  return error;
}

int SimulatedHost::rename(const std::string& from, const std::string& to, const Caller& caller) {
  const auto lock = enter(from, caller);
  return kernel_.outside().rename(from, to);
}

}  // namespace bulkhead::sim

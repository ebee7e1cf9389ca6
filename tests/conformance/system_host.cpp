// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/system_host.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/base/cpu_set.h"
#include "controller/base/error.h"
#include "controller/base/text.h"

namespace bulkhead::conformance {
namespace {

constexpr std::string_view kCgroupFiles = "/sys/fs/cgroup/";
constexpr useconds_t kMoment = 100 * 1000;    // µs: its work queues have run, in an emulated guest, too
constexpr useconds_t kSettled = 2500 * 1000;  // µs: ids of removed groups may be used again
constexpr mode_t kFolderMode = 0755;
constexpr mode_t kFileMode = 0644;

Outcome result(int returned) {
  return {returned < 0 ? errno : 0, {}};
}

Outcome read_all(int file) {
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t got = ::read(file, buffer, sizeof buffer);
    if (got < 0) return {errno, {}};
    if (got == 0) return {0, text};
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

Outcome write_once(int file, std::string_view text) {
  const ssize_t wrote = ::write(file, text.data(), text.size());
  if (wrote < 0) return {errno, {}};
  return {static_cast<std::size_t>(wrote) == text.size() ? 0 : EIO, {}};
}

bool has_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : split(std::string_view(path == nullptr ? "" : path), ':')) {
    if (access((std::string(folder) + '/' + name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "re");
  if (pipe == nullptr) return {};
  std::string text;
  char buffer[256];
  while (const std::size_t got = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, got);
  if (pclose(pipe) != 0) throw Error(ErrorCode::refused, "failed: " + command);
  return text;
}

}  // namespace

int names_in(const std::string& path, std::vector<std::string>& names) {
  DIR* folder = opendir(path.c_str());
  if (folder == nullptr) return errno;
  while (const dirent* entry = readdir(folder)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat information {};
    const bool is_folder =
        ::stat((path + '/' + name).c_str(), &information) == 0 && S_ISDIR(information.st_mode);
    names.push_back(name + (is_folder ? "/" : ""));
  }
  closedir(folder);
  std::ranges::sort(names);
  return 0;
}

SystemHost::SystemHost() {
  note_settings();
}

bool SystemHost::can(Ability ability) const {
  return ability != Ability::counters || has_program("rdt-counter");
}

Outcome SystemHost::read(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {errno, {}};
  Outcome outcome = read_all(file);
  close(file);
  return outcome;
}

Outcome SystemHost::write(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (file < 0) return {errno, {}};
  const Outcome outcome = write_once(file, text);
  close(file);
  return outcome;
}

Outcome SystemHost::list(const std::string& path) {
  std::vector<std::string> names;
  const int error = names_in(path, names);
  return {error, join(names, " ")};
}

Outcome SystemHost::mode(const std::string& path) {
  struct stat information {};
  if (::stat(path.c_str(), &information) != 0) return {errno, {}};
  char text[8];
  std::snprintf(text, sizeof text, "%04o", information.st_mode & 07777U);
  return {0, text};
}

Outcome SystemHost::make_directory(const std::string& path) {
  const Outcome outcome = result(::mkdir(path.c_str(), kFolderMode));
  if (outcome.error == 0 && path.starts_with(kCgroupFiles)) cgroups_made_.push_back(path);
  if (path.starts_with(kResctrl)) ++groups_made_;
  return outcome;
}

Outcome SystemHost::remove_directory(const std::string& path) {
  return result(::rmdir(path.c_str()));
}

Outcome SystemHost::rename(const std::string& from, const std::string& to) {
  return result(::rename(from.c_str(), to.c_str()));
}

Outcome SystemHost::create(const std::string& path) {
  const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, kFileMode);
  if (file < 0) return {errno, {}};
  close(file);
  return {};
}

Outcome SystemHost::unlink(const std::string& path) {
  return result(::unlink(path.c_str()));
}

Outcome SystemHost::mount(const std::string& options) {
  mounts_changed_ = true;
  unsigned long flags = 0;
  std::vector<std::string> own;
  for (const std::string_view option : split(std::string_view(options), ',')) {
    if (option == "ro") {
      flags |= MS_RDONLY;
    } else if (option != "rw") {
      own.emplace_back(option);
    }
  }
  const std::string data = join(own, ",");
  return result(::mount("resctrl", kResctrl.c_str(), "resctrl", flags | MS_RELATIME, data.c_str()));
}

Outcome SystemHost::unmount() {
  mounts_changed_ = true;
  return result(::umount2(kResctrl.c_str(), 0));
}

Outcome SystemHost::open(const std::string& name, const std::string& path) {
  int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0 && errno == EACCES) file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file >= 0) open_[name] = file;
  return result(file);
}

Outcome SystemHost::read_open(const std::string& name) {
  return lseek(open_.at(name), 0, SEEK_SET) < 0 ? result(-1) : read_all(open_.at(name));
}

Outcome SystemHost::write_open(const std::string& name, std::string_view text) {
  return write_once(open_.at(name), text);
}

Outcome SystemHost::self() {
  return {0, std::to_string(getpid())};
}

Outcome SystemHost::set_affinity(unsigned task, const std::string& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CpuSet::parse_list(cpus).for_each([&](unsigned cpu) { CPU_SET(cpu, &set); });
  return result(sched_setaffinity(static_cast<pid_t>(task), sizeof set, &set));
}

void SystemHost::act_as_nobody(bool nobody) {
  // The saved id stays root's, for the way back. The kernel compares the writer's effective id with the
  // others.
  const uid_t user = nobody ? kNobody : 0;
  if (!nobody && seteuid(0) != 0) throw Error(ErrorCode::permission, "cannot act as root again");
  if (setresuid(user, user, 0) != 0) throw Error(ErrorCode::permission, "cannot act as another user");
}

Outcome SystemHost::set_counter(const std::string& group, unsigned domain, const std::string& event,
                                const std::string& units) {
  const std::string ids = output_of("rdt-counter ids " + group);
  const std::string rmid(trim(std::string_view(ids).substr(ids.find(' '))));
  const std::string start = "rdt-counter set " + std::to_string(domain) + ' ' + event + ' ' + rmid + ' ';
  output_of(start + units);
  counters_set_.push_back(start + "0");
  return {};
}

Outcome SystemHost::fail_counter(const std::string& group, unsigned domain, const std::string& event,
                                 const std::string& state) {
  const std::string ids = output_of("rdt-counter ids " + group);
  const std::string rmid(trim(std::string_view(ids).substr(ids.find(' '))));
  const std::string which = std::to_string(domain) + ' ' + event + ' ' + rmid + ' ';
  output_of("rdt-counter fail " + which + state);
  counters_set_.push_back("rdt-counter set " + which + "0");
  return {};
}

void SystemHost::settle() {
  usleep(kMoment);
}

void SystemHost::wait() {
  usleep(kSettled);
  groups_made_ = 0;
}

}  // namespace bulkhead::conformance

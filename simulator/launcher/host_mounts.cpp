// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/host_mounts.h"

#include <cerrno>
#include <filesystem>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/base/error.h"
#include "simulator/fuse/serve.h"

namespace bulkhead::sim {
namespace {

// A directory that every Linux has; what is mounted over it here is hidden from nobody else.
const std::string kScratch = "/mnt";
const std::string kRealRoot = kScratch + "/real";
const std::string kServed = kScratch + "/served";
const std::string kStill = kScratch + "/still";  // the same, remembered for a while

// CPUs, caches and nodes are thousands of files that every program looks at and that hardly ever change.
constexpr double kStillSeconds = 1;

void mount_or_throw(const std::string& source, const std::string& target, const char* type,
                    unsigned long flags) {
  if (::mount(source.c_str(), target.c_str(), type, flags, nullptr) != 0) {
    if (errno == EPERM || errno == EINVAL) {  // EINVAL: mounts of another user namespace do not come apart
      throw Error(ErrorCode::permission, "cannot mount " + source + " at " + target +
                                             ": run as root of this host (sudo bulkhead-sim ...), in no "
                                             "user namespace or container that lacks the right");
    }
    throw Error::from_errno(errno, "cannot mount " + source, target);
  }
}

void make_directory(const std::string& path) {
  if (::mkdir(path.c_str(), S_IRWXU) != 0) throw Error::from_errno(errno, "cannot make the directory", path);
}

// /dev belongs to the real host, which must not get a file of ours: another one with the same devices.
void copy_devices(const std::string& to) {
  for (const auto& entry : std::filesystem::directory_iterator("/dev")) {
    const std::string copy = std::filesystem::path(to) / entry.path().filename();
    struct stat status {};
    if (::lstat(entry.path().c_str(), &status) != 0) continue;  // it has just gone
    if (S_ISDIR(status.st_mode)) {
      make_directory(copy);
      mount_or_throw(entry.path(), copy, nullptr, MS_BIND | MS_REC);
    } else if (S_ISLNK(status.st_mode)) {
      std::filesystem::copy_symlink(entry.path(), copy);
    } else if (::mknod(copy.c_str(), status.st_mode, status.st_rdev) == 0) {
      ::chown(copy.c_str(), status.st_uid, status.st_gid);
    }
  }
}

void add_hsmp() {
  const std::string devices = kScratch + "/dev";
  mount_or_throw("tmpfs", devices, "tmpfs", MS_NOSUID | MS_NOEXEC);
  constexpr mode_t kFolder = 0755;
  ::chmod(devices.c_str(), kFolder);  // a tmpfs is everybody's
  const mode_t before = ::umask(0);   // modes are the real devices'
  copy_devices(devices);
  constexpr mode_t kMode = 0644;
  const std::string file = devices + "/hsmp";
  ::unlink(file.c_str());  // the real host's
  if (::mknod(file.c_str(), S_IFREG | kMode, 0) != 0) throw Error::from_errno(errno, "cannot make", file);
  ::umask(before);
  mount_or_throw(kServed + "/dev/hsmp", file, nullptr, MS_BIND);
  mount_or_throw(devices, "/dev", nullptr, MS_BIND | MS_REC);
}

// What Bulkhead remembers in /var is the real host's: on this one it has never run. There, too, is what other
// programs need, so a folder of links to all else stands in front.
void hide_what_bulkhead_remembers(const std::filesystem::path& top) {
  const std::filesystem::path stand_in = kScratch / top.filename();  // "/mnt/lib"
  const std::string real = stand_in.string() + ".real";
  make_directory(real);
  make_directory(stand_in);
  mount_or_throw(top, real, nullptr, MS_BIND | MS_REC);
  for (const auto& entry : std::filesystem::directory_iterator(real)) {
    if (entry.path().filename() == "bulkhead") continue;
    std::filesystem::create_symlink(entry.path(), stand_in / entry.path().filename());
  }
  constexpr mode_t kFolder = 0755;
  ::chmod(stand_in.c_str(), kFolder);
  mount_or_throw(stand_in, top, nullptr, MS_BIND);
}

// What this process and its children name by relative paths is the simulated host's, too: a current folder
// stays on the filesystem that was there before.
void enter_folder(const std::string& path) {
  if (::chdir(path.c_str()) != 0 && ::chdir("/") != 0) throw Error::from_errno(errno, "cannot enter", "/");
}

}  // namespace

std::string covering_folder(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  for (const std::string top :
       {kScratch.c_str(), "/proc", "/run", "/sys", "/var/lib/bulkhead", "/var/log/bulkhead"}) {
    if (!error && absolute.string().starts_with(top + '/')) return top;
  }
  return "";
}

void serve_host(SimulatedHost& host) {
  mount_or_throw("none", "/", nullptr, MS_REC | MS_PRIVATE);
  if (::access("/dev/fuse", F_OK) != 0) {
    throw Error(ErrorCode::unsupported, "there is no /dev/fuse: load the module (modprobe fuse)");
  }
  mount_or_throw("tmpfs", kScratch, "tmpfs", MS_NOSUID | MS_NODEV);
  for (const std::string& folder :
       {kRealRoot, kRealRoot + "/proc", kRealRoot + "/sys", kServed, kStill, kScratch + "/dev"})
    make_directory(folder);
  mount_or_throw("proc", kRealRoot + "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC);
  mount_or_throw("/sys", kRealRoot + "/sys", nullptr, MS_BIND);
  host.follow_tasks(kRealRoot);
  serve_through_fuse(host, kServed, 0);
  serve_through_fuse(host, kStill, kStillSeconds);
}

void enter_host(bool with_hsmp) {
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error);
  if (::unshare(CLONE_NEWNS) != 0) throw Error::from_errno(errno, "cannot make a mount namespace", "");
  mount_or_throw(kRealRoot + "/proc", kServed + SimulatedHost::kRealProc, nullptr, MS_BIND);
  mount_or_throw(kRealRoot + "/sys", kServed + SimulatedHost::kRealSys, nullptr, MS_BIND);
  for (const std::string top : {"/proc", "/sys"})
    mount_or_throw(kServed + top, top, nullptr, MS_BIND | MS_REC);
  for (const std::string top : {"/sys/devices/system/cpu", "/sys/devices/system/node"}) {
    mount_or_throw(kStill + top, top, nullptr, MS_BIND);
  }
  // What runs on the real host, systemd and Bulkhead's own state above all, does not on this one.
  mount_or_throw("tmpfs", "/run", "tmpfs", MS_NOSUID | MS_NODEV);
  make_directory("/run/lock");
  for (const std::string top : {"/var/lib", "/var/log"}) hide_what_bulkhead_remembers(top);
  if (with_hsmp) add_hsmp();
  enter_folder(error ? "/" : folder);
}

}  // namespace bulkhead::sim

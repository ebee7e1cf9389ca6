// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/host_mounts.h"

#include <cerrno>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/stat.h>

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
    throw Error::from_errno(errno, "cannot mount " + source, target);
  }
}

void make_directory(const std::string& path) {
  if (::mkdir(path.c_str(), S_IRWXU) != 0) throw Error::from_errno(errno, "cannot make the directory", path);
}

}  // namespace

void serve_host(SimulatedHost& host) {
  mount_or_throw("none", "/", nullptr, MS_REC | MS_PRIVATE);
  mount_or_throw("tmpfs", kScratch, "tmpfs", MS_NOSUID | MS_NODEV);
  for (const std::string& folder : {kRealRoot, kRealRoot + "/proc", kRealRoot + "/sys", kServed, kStill})
    make_directory(folder);
  mount_or_throw("proc", kRealRoot + "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC);
  mount_or_throw("/sys", kRealRoot + "/sys", nullptr, MS_BIND);
  host.follow_tasks(kRealRoot);
  serve_through_fuse(host, kServed, 0);
  serve_through_fuse(host, kStill, kStillSeconds);
}

void enter_host() {
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
}

}  // namespace bulkhead::sim

// SPDX-License-Identifier: Apache-2.0
#include "controller/kernel/advisory_lock.h"

#include <cerrno>
#include <chrono>
#include <fstream>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/kernel/file_errors.h"
#include "controller/kernel/paths.h"

namespace bulkhead {
namespace {

std::string name_of_process(unsigned process) {
  std::ifstream file(std::string(paths::kProc) + '/' + std::to_string(process) + "/comm");
  std::string name;
  std::getline(file, name);
  return "process " + std::to_string(process) + (name.empty() ? "" : " (" + name + ')');
}

// Lines look like "1: FLOCK  ADVISORY  WRITE 123 fe:01:4711 0 EOF". Who waits has "->" after the number. The
// holder is not to be seen from inside another PID namespace.
std::string holder_of(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return "another program";
  const std::string inode = ':' + std::to_string(status.st_ino);
  std::ifstream locks(std::string(paths::kProc) + "/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, manner, access, process, file;
    words >> number >> kind >> manner >> access >> process >> file;
    if (kind != "FLOCK" || !file.ends_with(inode)) continue;
    const auto id = parse_integer<unsigned>(process);
    if (id && *id != 0) return name_of_process(*id);
  }
  return "another program";
}

}  // namespace

void lock_exclusively(int descriptor, int patience_ms, const std::string& path) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
  // Polling, because a blocking flock can only be bounded by a signal, which belongs to the program.
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) throw Error::from_errno(errno, "cannot lock", path);
    if (std::chrono::steady_clock::now() >= deadline) {
      throw file_errors::lock_is_held(holder_of(descriptor), patience_ms, path);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace bulkhead

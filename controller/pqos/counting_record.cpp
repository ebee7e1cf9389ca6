// SPDX-License-Identifier: Apache-2.0
#include "controller/pqos/counting_record.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/base/error.h"
#include "controller/base/text.h"

namespace bulkhead {
namespace {

constexpr const char* kPrefix = "counting.";
constexpr mode_t kFolder = 0755;
constexpr mode_t kPrivateFile = 0600;

std::string read_all(int file) {
  std::string text;
  char part[4096];
  for (;;) {
    const ssize_t got = ::read(file, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(part, static_cast<std::size_t>(got));
  }
}

CountingRecord::Rmids parse(const std::string& text) {
  CountingRecord::Rmids rmids;
  for (const std::string_view line : split(text, '\n')) {
    const auto space = line.find(' ');
    if (space == std::string_view::npos) continue;
    const auto cpu = parse_integer<unsigned>(line.substr(0, space));
    const auto rmid = parse_integer<unsigned>(line.substr(space + 1));
    if (cpu && rmid) rmids[*cpu] = *rmid;
  }
  return rmids;
}

}  // namespace

// Under its name it is locked already.
CountingRecord::CountingRecord(const std::string& folder)
    : path_(folder + '/' + kPrefix + std::to_string(::getpid())) {
  if (::mkdir(folder.c_str(), kFolder) != 0 && errno != EEXIST) {
    throw Error::from_errno(errno, "cannot make a folder", folder);
  }
  const std::string fresh = folder + "/new-" + kPrefix + std::to_string(::getpid());
  file_ = UniqueFd(::open(fresh.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, kPrivateFile));
  if (!file_ || ::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 || ::rename(fresh.c_str(), path_.c_str()) != 0) {
    throw Error::from_errno(errno, "cannot write down what is counted", fresh);
  }
}

CountingRecord::~CountingRecord() {
  ::unlink(path_.c_str());
}

void CountingRecord::write(const Rmids& rmids) {
  std::string text;
  for (const auto& [cpu, rmid] : rmids) text += std::to_string(cpu) + ' ' + std::to_string(rmid) + '\n';
  if (::pwrite(file_.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ::ftruncate(file_.get(), static_cast<off_t>(text.size())) != 0) {
    throw Error::from_errno(errno, "cannot write down what is counted", path_);
  }
}

std::vector<CountingRecord::Left> CountingRecord::left_in(const std::string& folder) {
  std::vector<Left> left;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (!entry.path().filename().string().starts_with(kPrefix)) continue;
    const UniqueFd file(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;
    left.push_back({entry.path(), parse(read_all(file.get()))});
  }
  return left;
}

void CountingRecord::remove(const Left& left) {
  ::unlink(left.path.c_str());
}

}  // namespace bulkhead

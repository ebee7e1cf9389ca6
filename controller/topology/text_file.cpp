// SPDX-License-Identifier: Apache-2.0
#include "controller/topology/text_file.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/base/error.h"

namespace bulkhead {
namespace {

struct KindName {
  mode_t kind;
  std::string_view name;
};
constexpr std::array kOtherKinds{KindName{S_IFDIR, "a directory"}, KindName{S_IFIFO, "a pipe"},
                                 KindName{S_IFCHR, "a device"}, KindName{S_IFBLK, "a device"}};

std::string_view name_of(mode_t mode) {
  for (const KindName& row : kOtherKinds) {
    if ((mode & S_IFMT) == row.kind) return row.name;
  }
  return "something else";
}

}  // namespace

UniqueFd open_document(const std::string& path, std::string_view right) {
  // O_NONBLOCK: to open a pipe that nobody writes to would wait for a writer.
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) throw Error::from_errno(errno, "cannot open the file", path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw Error::from_errno(errno, "cannot look at the file", path);
  if (S_ISREG(status.st_mode)) return file;
  throw Error(ErrorDetail{
      .code = ErrorCode::invalid,
      .message = "this is " + std::string(name_of(status.st_mode)) + ", not " + std::string(right),
      .path = path});
}

std::string read_text_file(const std::string& path) {
  const UniqueFd file = open_document(path);
  std::string text;
  std::array<char, 16384> buffer;
  while (true) {
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error::from_errno(errno, "cannot read the file", path);
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    constexpr std::size_t kLargest = std::size_t{64} << 20;
    if (text.size() > kLargest)
      throw Error(ErrorCode::invalid, "the file " + path + " is larger than 64 MiB");
  }
}

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/topology/text_file.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include "controller/base/error.h"
#include "controller/base/unique_fd.h"

namespace bulkhead {

std::string read_text_file(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw Error::from_errno(errno, "cannot open the file", path);
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

// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/captured_stream.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include "controller/base/error.h"

namespace bulkhead {
namespace {

constexpr unsigned kMostReads = 512;  // at a time, of a pipe's 64 KiB each

}  // namespace

CapturedStream::CapturedStream(std::size_t most, Keep keep) : most_(most), keep_(keep) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw Error::from_errno(errno, "cannot make", "a pipe");
  our_end_ = UniqueFd(pipe[0]);
  child_end_ = UniqueFd(pipe[1]);
  if (::fcntl(our_end_.get(), F_SETFL, O_NONBLOCK) != 0)
    throw Error::from_errno(errno, "cannot make", "a pipe");
}

// False where there is nothing more to come for now.
bool CapturedStream::read_some() {
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(our_end_.get(), buffer.data(), buffer.size());
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) return false;
  const auto size = static_cast<std::size_t>(count);
  if (text_.size() + size <= most_) {
    text_.append(buffer.data(), size);
    return true;
  }
  overflowed_ = true;
  if (keep_ == Keep::beginning) return false;  // nothing of it will be used
  text_.append(buffer.data(), size);
  text_.erase(0, text_.size() - most_);
  return true;
}

void CapturedStream::drain() {
  if (overflowed_ && keep_ == Keep::beginning) return;
  for (unsigned reads = 0; reads < kMostReads && read_some(); ++reads) {
  }
}

}  // namespace bulkhead

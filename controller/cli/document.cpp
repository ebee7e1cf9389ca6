// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/document.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

#include "controller/base/error.h"
#include "controller/topology/text_file.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

constexpr std::size_t kMost = kLargestPolicy + 1;
constexpr std::size_t kChunk = 64 << 10;

std::string read_some(int descriptor, const std::string& name) {
  std::string text;
  while (text.size() < kMost) {
    const std::size_t before = text.size();
    text.resize(before + std::min(kChunk, kMost - before));
    const ssize_t got = ::read(descriptor, text.data() + before, text.size() - before);
    const int failed = errno;
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && failed == EINTR) continue;
    if (got < 0) throw Error::from_errno(failed, "cannot read the file", name);
    if (got == 0) break;
  }
  return text;
}

}  // namespace

PolicySource read_document(const std::string& name) {
  if (name == "-") return {.text = read_some(STDIN_FILENO, "standard input"), .file = "standard input"};
  const UniqueFd file = open_document(name, "a regular file, or - for standard input");
  return {.text = read_some(file.get(), name), .file = name};
}

}  // namespace bulkhead

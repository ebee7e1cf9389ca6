// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cerrno>

#include "tests/conformance/case_file.h"

namespace bulkhead::conformance {
namespace {

struct Name {
  int error;
  std::string_view name;
};

constexpr std::array kNames{
    Name{0, "ok"},
    Name{E2BIG, "E2BIG"},
    Name{EACCES, "EACCES"},
    Name{EBUSY, "EBUSY"},
    Name{EEXIST, "EEXIST"},
    Name{EINVAL, "EINVAL"},
    Name{EIO, "EIO"},
    Name{EISDIR, "EISDIR"},
    Name{ENAMETOOLONG, "ENAMETOOLONG"},
    Name{ENODEV, "ENODEV"},
    Name{ENOENT, "ENOENT"},
    Name{ENOSPC, "ENOSPC"},
    Name{ENOTDIR, "ENOTDIR"},
    Name{ENOTEMPTY, "ENOTEMPTY"},
    Name{EOPNOTSUPP, "EOPNOTSUPP"},
    Name{EOVERFLOW, "EOVERFLOW"},
    Name{EPERM, "EPERM"},
    Name{ERANGE, "ERANGE"},
    Name{EROFS, "EROFS"},
    Name{ESRCH, "ESRCH"},
    Name{EXDEV, "EXDEV"},
};

}  // namespace

std::string errno_name(int error) {
  for (const Name& each : kNames) {
    if (each.error == error) return std::string(each.name);
  }
  return "errno " + std::to_string(error);
}

std::optional<int> errno_of(std::string_view name) {
  for (const Name& each : kNames) {
    if (each.name == name) return each.error;
  }
  return std::nullopt;
}

}  // namespace bulkhead::conformance

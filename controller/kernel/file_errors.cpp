// SPDX-License-Identifier: Apache-2.0
#include "controller/kernel/file_errors.h"

#include <algorithm>

namespace bulkhead::file_errors {

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 120;
  std::string line(text.substr(0, text.ends_with('\n') ? text.size() - 1 : text.size()));
  std::replace(line.begin(), line.end(), '\n', ' ');
  if (line.size() > kMost) line = line.substr(0, kMost) + "...";
  return line;
}

Error cannot_write(int error_number, std::string_view text, const std::string& path) {
  return Error::from_errno(error_number, "cannot write '" + shown(text) + "'", path);
}

Error lock_is_held(const std::string& holder, int patience_ms, const std::string& path) {
  return Error(ErrorDetail{.code = ErrorCode::conflict,
                           .message = holder + " holds the lock" +
                                      (patience_ms == 0 ? ""
                                                        : ", after " + std::to_string(patience_ms) +
                                                              " ms still: let it finish, or end it"),
                           .path = path});
}

}  // namespace bulkhead::file_errors

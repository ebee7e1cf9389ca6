// SPDX-License-Identifier: Apache-2.0
#include "controller/base/error.h"

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace bulkhead {
namespace {

struct CodeRow {
  ErrorCode code;
  std::string_view word;
  int exit_status;
};

constexpr std::array kCodes{
    CodeRow{ErrorCode::usage, "usage", 2},           CodeRow{ErrorCode::invalid, "invalid", 3},
    CodeRow{ErrorCode::infeasible, "infeasible", 3}, CodeRow{ErrorCode::unsupported, "unsupported", 5},
    CodeRow{ErrorCode::permission, "permission", 5}, CodeRow{ErrorCode::refused, "refused", 1},
    CodeRow{ErrorCode::conflict, "conflict", 1},     CodeRow{ErrorCode::not_found, "not_found", 1},
    CodeRow{ErrorCode::drift, "drift", 4},           CodeRow{ErrorCode::internal, "internal", 1},
};

const CodeRow& row_of(ErrorCode code) {
  for (const CodeRow& row : kCodes) {
    if (row.code == code) return row;
  }
  return kCodes.back();
}

ErrorCode code_of(int error_number) {
  switch (error_number) {
    case EACCES:
    case EPERM:
      return ErrorCode::permission;
    case ENOENT:
    case ESRCH:
      return ErrorCode::not_found;
    default:
      return ErrorCode::refused;
  }
}

}  // namespace

std::string_view to_string(ErrorCode code) {
  return row_of(code).word;
}

int exit_status(ErrorCode code) {
  return row_of(code).exit_status;
}

Error::Error(ErrorDetail detail) : detail_(std::move(detail)) {
  render();
}

Error::Error(ErrorCode code, std::string message)
    : Error(ErrorDetail{.code = code, .message = std::move(message)}) {}

Error Error::from_errno(int error_number, std::string message, std::string path) {
  return Error(ErrorDetail{.code = code_of(error_number),
                           .message = std::move(message),
                           .path = std::move(path),
                           .error_number = error_number});
}

Error& Error::add_context(std::string action) {
  detail_.context.push_back(std::move(action));
  render();
  return *this;
}

Error& Error::set_kernel_status(std::string status) {
  detail_.kernel_status = std::move(status);
  render();
  return *this;
}

Error& Error::set_place(std::string file, std::size_t line, std::size_t column, std::string pointer) {
  detail_.file = std::move(file);
  detail_.line = line;
  detail_.column = column;
  detail_.pointer = std::move(pointer);
  render();
  return *this;
}

void Error::render() {
  text_.clear();
  if (!detail_.file.empty()) {
    text_ += detail_.file + ':';
    if (detail_.line != 0) {
      text_ += std::to_string(detail_.line) + ':' + std::to_string(detail_.column) + ':';
    }
    text_ += ' ';
  }
  text_ += detail_.message;
  if (!detail_.path.empty()) {
    text_ += " (" + detail_.path;
    if (detail_.error_number != 0) {
      text_ += ": " + std::generic_category().message(detail_.error_number);
    }
    if (!detail_.kernel_status.empty()) text_ += "; the kernel says: " + detail_.kernel_status;
    text_ += ')';
  }
  for (const std::string& action : detail_.context) text_ += ", while " + action;
}

}  // namespace bulkhead

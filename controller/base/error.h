// SPDX-License-Identifier: Apache-2.0
// The one exception type. It says what the caller can do about it (code), what happened (message), where
// in a document or in the kernel, and in which larger action (context). Inner code says what is wrong; outer
// code adds where, on the way up. It is caught in main, per API request and per reconcile tick.
#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace bulkhead {

enum class ErrorCode {
  usage,        // the command line makes no sense
  invalid,      // a document is wrong
  infeasible,   // a policy asks for what the machine does not have, or what others hold
  unsupported,  // this host cannot do that, whatever the policy
  permission,   // more rights are needed
  refused,      // the kernel said no
  conflict,     // somebody else holds it or changed it meanwhile
  not_found,    // a file, process, unit or group that was named is not there
  drift,        // the host is not as planned
  internal,     // a mistake of ours
};

// The word for JSON, e.g. "infeasible".
std::string_view to_string(ErrorCode code);

// Exit status of the command line: 1 failed (undone), 2 usage, 3 invalid or infeasible input,
// 4 drift or verification failed, 5 this host cannot.
int exit_status(ErrorCode code);

struct ErrorDetail {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  std::string file;  // the document, with line and column from 1 and a JSON pointer; else empty and 0
  std::size_t line = 0;
  std::size_t column = 0;
  std::string pointer;
  std::string path;  // the kernel file, with the errno it gave and the kernel's own words; else empty
  int error_number = 0;
  std::string kernel_status;
  std::vector<std::string> context;  // innermost action first
};

class Error : public std::exception {
 public:
  explicit Error(ErrorDetail detail);
  Error(ErrorCode code, std::string message);

  // A refused system call on `path`. The code follows from the errno: EACCES and EPERM are permission,
  // ENOENT and ESRCH not_found, all else refused.
  static Error from_errno(int error_number, std::string message, std::string path);

  const ErrorDetail& detail() const { return detail_; }
  ErrorCode code() const { return detail_.code; }
  Error& add_context(std::string action);
  Error& set_kernel_status(std::string status);
  Error& set_place(std::string file, std::size_t line, std::size_t column, std::string pointer);

  // The whole text, "file:line:column: message (path: errno text; kernel: words), while ...".
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  void render();

  ErrorDetail detail_;
  std::string text_;
};

}  // namespace bulkhead

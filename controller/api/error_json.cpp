// SPDX-License-Identifier: Apache-2.0
#include "controller/api/error_json.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(std::string_view text) {
  return text.empty() ? Json() : Json(text);
}

template <class Number>
Json number_or_null(Number number) {
  return number == 0 ? Json() : Json(number);
}

ErrorCode code_of(const std::string& word) {
  for (int code = 0; code < static_cast<int>(ErrorCode::internal); ++code) {
    if (to_string(static_cast<ErrorCode>(code)) == word) return static_cast<ErrorCode>(code);
  }
  return ErrorCode::internal;
}

template <class Value>
Value member(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return {};
  try {
    return found->get<Value>();
  } catch (const Json::exception&) {
    return {};
  }
}

}  // namespace

std::string_view remedy_for(ErrorCode code) {
  return code == ErrorCode::permission ? "more rights are needed: be root, or where bulkheadd runs in its "
                                         "admin group, or to look in its read group"
                                       : "";
}

Json error_json(const ErrorDetail& error) {
  return {{"code", to_string(error.code)},
          {"message", error.message},
          {"remedy", text_or_null(remedy_for(error.code))},
          {"file", text_or_null(error.file)},
          {"line", number_or_null(error.line)},
          {"column", number_or_null(error.column)},
          // "" is the pointer of the whole document.
          {"pointer", error.line == 0 && error.pointer.empty() ? Json() : Json(error.pointer)},
          {"path", text_or_null(error.path)},
          {"errno", number_or_null(error.error_number)},
          {"kernel_status", text_or_null(error.kernel_status)},
          {"context", error.context}};
}

ErrorDetail error_detail(const Json& object) {
  if (!object.is_object()) return {};
  return {.code = code_of(member<std::string>(object, "code")),
          .message = member<std::string>(object, "message"),
          .file = member<std::string>(object, "file"),
          .line = member<std::size_t>(object, "line"),
          .column = member<std::size_t>(object, "column"),
          .pointer = member<std::string>(object, "pointer"),
          .path = member<std::string>(object, "path"),
          .error_number = member<int>(object, "errno"),
          .kernel_status = member<std::string>(object, "kernel_status"),
          .context = member<std::vector<std::string>>(object, "context")};
}

}  // namespace bulkhead

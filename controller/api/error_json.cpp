// SPDX-License-Identifier: Apache-2.0
#include "controller/api/error_json.h"

#include <nlohmann/json.hpp>

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

}  // namespace

std::string_view remedy_for(ErrorCode code) {
  return code == ErrorCode::permission ? "more rights are needed: run it as root" : "";
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

}  // namespace bulkhead

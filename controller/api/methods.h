// SPDX-License-Identifier: Apache-2.0
// The API, as one table: dispatch, the checks of parameters and rights, and the OpenRPC document follow from
// it.
#pragma once

#include <span>
#include <string_view>

#include "controller/api/event_kinds.h"
#include "controller/api/parameter_types.h"
#include "controller/api/rights.h"

namespace bulkhead {

struct Parameter {
  std::string_view name;
  ParameterType type;
  bool required;
  std::string_view summary;
};

// Who answers: the daemon with a handler, or the server, since it is about the connection or the API itself.
enum class AnsweredBy { handler, server };

struct Method {
  std::string_view name;
  std::string_view summary;
  Right right;  // that the caller needs
  std::span<const Parameter> parameters;
  std::string_view result;         // what it is, in words
  std::string_view result_schema;  // which of result-schemas.json it follows
  AnsweredBy answered_by = AnsweredBy::handler;
  std::span<const EventKind> events = {};  // that a call may bring about
};

std::span<const Method> methods();
const Method* find_method(std::string_view name);  // nullptr if there is none

}  // namespace bulkhead

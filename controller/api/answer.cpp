// SPDX-License-Identifier: Apache-2.0
#include "controller/api/answer.h"

#include <nlohmann/json.hpp>

#include "controller/api/rpc_codes.h"

namespace bulkhead {

Answer::Answer(const nlohmann::ordered_json& result) : content_(one_line(result)) {}

Answer::Answer(const Error& error) : content_(Refusal{rpc_code(error.code()), error}) {}

std::string one_line(const nlohmann::ordered_json& document) {
  return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace bulkhead

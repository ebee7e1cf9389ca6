// SPDX-License-Identifier: Apache-2.0
// Whether a request becomes a call: there is such a method, the caller may use it, and its parameters fit.
#pragma once

#include <nlohmann/json.hpp>
#include <variant>

#include "controller/api/answer.h"
#include "controller/api/caller.h"
#include "controller/api/json_rpc.h"
#include "controller/api/methods.h"

namespace bulkhead {

struct AdmittedCall {
  const Method* method;
  nlohmann::json params;  // an object, by name
};

std::variant<AdmittedCall, Refusal> admit(const Caller& caller, RpcRequest request);

}  // namespace bulkhead

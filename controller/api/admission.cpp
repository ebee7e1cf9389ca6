// SPDX-License-Identifier: Apache-2.0
#include "controller/api/admission.h"

#include <string>
#include <utility>

#include "controller/api/parameters.h"
#include "controller/api/rpc_codes.h"
#include "controller/api/suggestion.h"
#include "policies/quote.h"

namespace bulkhead {

std::variant<AdmittedCall, Refusal> admit(const Caller& caller, RpcRequest request) {
  const Method* method = find_method(request.method);
  if (method == nullptr) {
    return Refusal{kMethodNotFound,
                   Error(ErrorCode::usage, "there is no method " + in_quotes(request.method) +
                                               suggestion(request.method, methods()))};
  }
  if (caller.right < method->right) {
    return Refusal{
        rpc_code(ErrorCode::permission),
        Error(ErrorCode::permission, std::string(method->name) + " is for root and the admin group; user " +
                                         std::to_string(caller.uid) + " may only look")};
  }
  try {
    return AdmittedCall{method, named_parameters(*method, std::move(request.params))};
  } catch (const Error& error) {
    return Refusal{kInvalidParams, error};
  }
}

}  // namespace bulkhead

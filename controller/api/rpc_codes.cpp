// SPDX-License-Identifier: Apache-2.0
#include "controller/api/rpc_codes.h"

#include <array>

namespace bulkhead {
namespace {

struct RpcCodeRow {
  ErrorCode code;
  int number;
};

// Callers rely on these numbers: none is ever given to another code.
constexpr std::array kRpcCodes{
    RpcCodeRow{ErrorCode::usage, -32001},      RpcCodeRow{ErrorCode::invalid, -32002},
    RpcCodeRow{ErrorCode::infeasible, -32003}, RpcCodeRow{ErrorCode::unsupported, -32004},
    RpcCodeRow{ErrorCode::permission, -32005}, RpcCodeRow{ErrorCode::refused, -32006},
    RpcCodeRow{ErrorCode::conflict, -32007},   RpcCodeRow{ErrorCode::not_found, -32008},
    RpcCodeRow{ErrorCode::drift, -32009},      RpcCodeRow{ErrorCode::internal, -32010},
};

}  // namespace

int rpc_code(ErrorCode code) {
  for (const RpcCodeRow& row : kRpcCodes) {
    if (row.code == code) return row.number;
  }
  return kRpcCodes.back().number;
}

}  // namespace bulkhead

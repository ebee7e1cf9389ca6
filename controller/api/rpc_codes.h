// SPDX-License-Identifier: Apache-2.0
// The numbers of refusals: JSON-RPC's own, and ours in the range that it leaves to servers.
#pragma once

#include <array>
#include <string_view>

#include "controller/base/error.h"

namespace bulkhead {

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;

struct StandardRpcError {
  std::string_view name;
  int code;
};
inline constexpr std::array kStandardRpcErrors{StandardRpcError{"parse_error", kParseError},
                                               StandardRpcError{"invalid_request", kInvalidRequest},
                                               StandardRpcError{"method_not_found", kMethodNotFound},
                                               StandardRpcError{"invalid_params", kInvalidParams}};

int rpc_code(ErrorCode code);

}  // namespace bulkhead

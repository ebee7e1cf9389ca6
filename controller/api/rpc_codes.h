// SPDX-License-Identifier: Apache-2.0
// The numbers of refusals: JSON-RPC's own, and ours in the range that it leaves to servers.
#pragma once

#include "controller/base/error.h"

namespace bulkhead {

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;

int rpc_code(ErrorCode code);

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// JSON-RPC 2.0, one message a line: text to requests, answers to text. Pure. Stricter than the standard where
// it is silent: repeated keys and unknown members are refused, as what a caller meant may not get lost.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "controller/api/answer.h"

namespace bulkhead {

inline constexpr std::size_t kDeepestMessage = 32;          // objects and arrays inside one another
inline constexpr std::size_t kMostMessageValues = 1 << 16;  // so that a message of 1 MiB does not become 100

struct RpcRequest {
  std::string id;  // JSON, numbers as they were written; empty for a notification, which gets no answer
  std::string method;
  nlohmann::json params;  // an object or array; null where there are none
};

// What is no request is answered in its place.
struct RpcMistake {
  std::string id;  // "null" where it cannot be told
  Refusal refusal;
};

struct RpcMessage {
  bool batch = false;
  std::vector<std::variant<RpcRequest, RpcMistake>> items;  // one, or a batch's
};

// A message that cannot be understood, or is larger than the limits, is one mistake, and no batch.
RpcMessage read_message(std::string_view line, std::size_t most_requests);

// Without a newline.
std::string answer_text(std::string_view id, const Answer& answer);
std::string refusal_text(std::string_view id, const Refusal& refusal);

}  // namespace bulkhead

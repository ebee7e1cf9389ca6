// SPDX-License-Identifier: Apache-2.0
#include "controller/api/json_rpc.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "controller/api/error_json.h"
#include "controller/api/message_builder.h"
#include "controller/api/rpc_codes.h"
#include "controller/base/text.h"
#include "policies/quote.h"

namespace bulkhead {
namespace {

using Input = nlohmann::json;

constexpr std::array<std::string_view, 4> kRequestMembers{"jsonrpc", "id", "method", "params"};

RpcMistake mistake(std::string id, int code, std::string message) {
  return {std::move(id), {code, Error(ErrorCode::invalid, std::move(message))}};
}

RpcMessage only(RpcMistake mistake) {
  RpcMessage message;
  message.items.emplace_back(std::move(mistake));
  return message;
}

// What an id may be, as JSON; nothing for what is none.
std::optional<std::string> id_text(const Input& id, const std::string* written) {
  if (written != nullptr) return *written;
  if (id.is_string() || id.is_number() || id.is_null()) return id.dump();
  return std::nullopt;
}

std::string unknown_member(const std::string& name) {
  const std::string_view meant = closest(name, kRequestMembers);
  const std::string message = "a request has no member " + in_quotes(name);
  return meant.empty() ? message : message + "; did you mean " + in_quotes(meant) + "?";
}

struct RequestMembers {
  const Input* version = nullptr;
  Input* id = nullptr;
  Input* method = nullptr;
  Input* params = nullptr;
  std::string unknown;
};

RequestMembers members_of(Input& request) {
  RequestMembers members;
  for (auto member = request.begin(); member != request.end(); ++member) {
    const std::string& name = member.key();
    if (name == "jsonrpc") {
      members.version = &*member;
    } else if (name == "id") {
      members.id = &*member;
    } else if (name == "method") {
      members.method = &*member;
    } else if (name == "params") {
      members.params = &*member;
    } else if (members.unknown.empty()) {
      members.unknown = unknown_member(name);
    }
  }
  return members;
}

// What is wrong with a request besides its id; empty if nothing is.
std::string fault_of(const RequestMembers& members) {
  if (members.version == nullptr || *members.version != "2.0") return R"(a request has "jsonrpc": "2.0")";
  if (members.method == nullptr || !members.method->is_string()) {
    return R"(a request has a "method", which is a string)";
  }
  if (members.params != nullptr && !members.params->is_structured())
    return R"("params" are an object or an array)";
  return members.unknown;
}

std::variant<RpcRequest, RpcMistake> read_request(Input& request, const std::string* written_id) {
  if (!request.is_object()) return mistake("null", kInvalidRequest, "a request is an object");
  const RequestMembers members = members_of(request);
  std::optional<std::string> id = std::string();
  if (members.id != nullptr) id = id_text(*members.id, written_id);
  if (!id) return mistake("null", kInvalidRequest, "an id is a string, a number or null");
  std::string fault = fault_of(members);
  if (!fault.empty()) return mistake(id->empty() ? "null" : *id, kInvalidRequest, std::move(fault));
  return RpcRequest{.id = std::move(*id),
                    .method = std::move(members.method->get_ref<std::string&>()),
                    .params = members.params == nullptr ? Input() : std::move(*members.params)};
}

}  // namespace

RpcMessage read_message(std::string_view line, std::size_t most_requests) {
  // The parser would take it for the end.
  if (const auto nul = line.find('\0'); nul != std::string_view::npos) {
    return only(mistake("null", kParseError, "there is a NUL, at byte " + std::to_string(nul + 1)));
  }
  MessageBuilder builder(most_requests);
  Input::sax_parse(line.begin(), line.end(), &builder);
  if (builder.refusal() != nullptr) return only({"null", *builder.refusal()});
  Input& root = builder.root();
  RpcMessage message{.batch = root.is_array()};
  if (!message.batch) {
    message.items.push_back(read_request(root, builder.written_id(0)));
    return message;
  }
  if (root.empty()) return only(mistake("null", kInvalidRequest, "a batch has at least one request"));
  for (std::size_t index = 0; index < root.size(); ++index) {
    message.items.push_back(read_request(root[index], builder.written_id(index)));
  }
  return message;
}

std::string answer_text(std::string_view id, const Answer& answer) {
  if (answer.refusal() != nullptr) return refusal_text(id, *answer.refusal());
  const std::string& result = *answer.result();
  std::string text = R"({"jsonrpc":"2.0","id":)";
  text.reserve(text.size() + id.size() + result.size() + 12);
  text += id;
  text += R"(,"result":)";
  text += result;
  text += '}';
  return text;
}

std::string refusal_text(std::string_view id, const Refusal& refusal) {
  const nlohmann::ordered_json error{{"code", refusal.code},
                                     {"message", refusal.error.what()},
                                     {"data", error_json(refusal.error.detail())}};
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"error":)" + one_line(error) + '}';
}

}  // namespace bulkhead

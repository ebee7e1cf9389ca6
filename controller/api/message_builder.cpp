// SPDX-License-Identifier: Apache-2.0
#include "controller/api/message_builder.h"

#include <utility>

#include "controller/api/json_rpc.h"
#include "controller/api/rpc_codes.h"
#include "controller/base/text.h"
#include "policies/quote.h"

namespace bulkhead {

const std::string* MessageBuilder::written_id(std::size_t request) const {
  const auto found = written_ids_.find(request);
  return found == written_ids_.end() ? nullptr : &found->second;
}

bool MessageBuilder::refuse(int code, std::string message) {
  refusal_ = Refusal{code, Error(ErrorCode::invalid, std::move(message))};
  return false;
}

MessageBuilder::Json* MessageBuilder::add(Json value) {
  if (++values_ > kMostMessageValues) {
    refuse(kInvalidRequest, "a message has at most " + std::to_string(kMostMessageValues) + " values");
    return nullptr;
  }
  if (open_.empty()) return &(root_ = std::move(value));
  Json& parent = *open_.back();
  if (parent.is_object()) return &(*slot_ = std::move(value));
  if (open_.size() == 1 && parent.size() == most_requests_) {
    refuse(kInvalidRequest, "a batch has at most " + counted(most_requests_, "request"));
    return nullptr;
  }
  parent.push_back(std::move(value));
  return &parent.back();
}

bool MessageBuilder::open(Json container, std::size_t) {
  if (open_.size() == kDeepestMessage) {
    return refuse(kInvalidRequest,
                  "objects and arrays are nested at most " + std::to_string(kDeepestMessage) + " deep");
  }
  Json* const added = add(std::move(container));
  if (added != nullptr) open_.push_back(added);
  return added != nullptr;
}

bool MessageBuilder::close() {
  open_.pop_back();
  return true;
}

bool MessageBuilder::number_float(Json::number_float_t value, const std::string& written) {
  const bool in_request = open_.size() == (root_.is_array() ? 2 : 1) && open_.back()->is_object();
  if (in_request && slot_is_id_) written_ids_[root_.is_array() ? root_.size() - 1 : 0] = written;
  return add(value) != nullptr;
}

bool MessageBuilder::key(std::string& name) {
  const auto [member, fresh] = open_.back()->emplace(std::move(name), nullptr);
  if (!fresh) return refuse(kInvalidRequest, "the key " + in_quotes(member.key()) + " stands there twice");
  slot_ = &*member;
  slot_is_id_ = member.key() == "id";
  return true;
}

bool MessageBuilder::parse_error(std::size_t position, const std::string&, const Json::exception& why) {
  constexpr int kNumberOverflow = 406;
  if (why.id == kNumberOverflow)
    return refuse(kParseError, "a number is too large, before byte " + std::to_string(position));
  return refuse(kParseError, "this is no JSON, from byte " + std::to_string(position) + " on");
}

}  // namespace bulkhead

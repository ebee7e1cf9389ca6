// SPDX-License-Identifier: Apache-2.0
// The methods that are about the connection, or the API itself.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "controller/api/open_rpc.h"
#include "controller/api/session.h"
#include "controller/base/text.h"

namespace bulkhead {

Answer Session::answer_itself(const Method& method, const nlohmann::json& params) {
  struct OwnMethod {
    std::string_view name;
    Answer (Session::*answer)(const nlohmann::json& params);
  };
  constexpr std::array kOwn{OwnMethod{"events.subscribe", &Session::subscribe},
                            OwnMethod{"events.unsubscribe", &Session::unsubscribe},
                            OwnMethod{"rpc.discover", &Session::discover}};
  for (const auto& [name, answer] : kOwn) {
    if (name == method.name) return (this->*answer)(params);
  }
  return Error(ErrorCode::internal, "nobody answers the method " + std::string(method.name));
}

Answer Session::subscribe(const nlohmann::json& params) {
  if (subscriptions_.size() == host_->limits.subscriptions) {
    return Error(ErrorCode::conflict,
                 "a connection has at most " + counted(host_->limits.subscriptions, "subscription"));
  }
  std::vector<EventKind> kinds;
  if (const auto wanted = params.find("kinds"); wanted != params.end()) {
    for (const auto& name : *wanted) kinds.push_back(*parse_event_kind(name.get_ref<const std::string&>()));
  }
  subscriptions_.push_back(
      host_->events.subscribe(std::move(kinds), host_->limits.events, [held = weak_from_this()] {
        if (const auto self = held.lock()) self->go_on_soon();
      }));
  return nlohmann::ordered_json{{"subscription", subscriptions_.back()->subscription()}};
}

Answer Session::unsubscribe(const nlohmann::json& params) {
  const auto wanted = params.at("subscription").get<std::uint64_t>();
  const auto found = std::find_if(subscriptions_.begin(), subscriptions_.end(),
                                  [&](const auto& queue) { return queue->subscription() == wanted; });
  if (found == subscriptions_.end()) {
    return Error(ErrorCode::not_found, "this connection has no subscription " + std::to_string(wanted));
  }
  lost_before_ += (*found)->lost();
  subscriptions_.erase(found);
  return nlohmann::ordered_json::object();
}

Answer Session::discover(const nlohmann::json&) {
  return Answer::rendered(open_rpc_document());
}

}  // namespace bulkhead

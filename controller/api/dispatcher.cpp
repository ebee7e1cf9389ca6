// SPDX-License-Identifier: Apache-2.0
#include "controller/api/dispatcher.h"

#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "controller/base/text.h"

namespace bulkhead {

void Dispatcher::handle(std::string_view method, Handler handler) {
  const Method* row = find_method(method);
  if (row == nullptr || row->answered_by != AnsweredBy::handler) {
    throw Error(ErrorCode::internal, "no handler may answer the method " + std::string(method));
  }
  handlers_[row->name] = std::move(handler);
}

void Dispatcher::require_handlers() const {
  std::vector<std::string> missing;
  for (const Method& method : methods()) {
    if (method.answered_by == AnsweredBy::handler && !handlers_.contains(method.name))
      missing.emplace_back(method.name);
  }
  if (!missing.empty()) throw Error(ErrorCode::internal, "nobody answers the methods " + join(missing, ", "));
}

void Dispatcher::dispatch(const Method& method, const Caller& caller, nlohmann::json params,
                          Reply reply) const {
  const Handler& handler = handlers_.at(method.name);
  const auto answered = std::make_shared<bool>(false);
  const Reply once = [answered, reply = std::move(reply)](Answer answer) {
    if (!std::exchange(*answered, true)) reply(std::move(answer));
  };
  try {
    handler(caller, std::move(params), once);
  } catch (const Error& error) {
    once(error);
  } catch (const std::exception& unexpected) {
    once(Error(ErrorCode::internal, std::string(method.name) + " failed: " + unexpected.what()));
  }
}

}  // namespace bulkhead

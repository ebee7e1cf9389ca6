// SPDX-License-Identifier: Apache-2.0
// From a call to its method's handler.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "controller/api/answer.h"
#include "controller/api/caller.h"
#include "controller/api/methods.h"

namespace bulkhead {

// `params` is an object with the parameters by name, of the types that the table says. What a handler throws
// is the answer, unless it has replied. Who replies later copies the caller, which goes with its connection.
using Handler = std::function<void(const Caller&, nlohmann::json params, Reply)>;

class Dispatcher {
 public:
  // Throws Error(internal) for a method that is not in the table, or is the server's own.
  void handle(std::string_view method, Handler handler);

  // Throws Error(internal) that names the methods without a handler, if there are any.
  void require_handlers() const;

  // Of a call that is admitted. `reply` is called once, however often the handler replies, and if it throws.
  void dispatch(const Method& method, const Caller& caller, nlohmann::json params, Reply reply) const;

 private:
  std::map<std::string_view, Handler> handlers_;
};

}  // namespace bulkhead

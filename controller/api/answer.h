// SPDX-License-Identifier: Apache-2.0
// What a method answers with.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <variant>

#include "controller/base/error.h"

namespace bulkhead {

struct Refusal {
  int code;  // of JSON-RPC
  Error error;
};

class Answer {
 public:
  Answer(const nlohmann::ordered_json& result);  // rendered here, on the thread that made it
  Answer(const Error& error);
  Answer(Refusal refusal) : content_(std::move(refusal)) {}

  // A result that is JSON already, on one line.
  static Answer rendered(std::string json) { return Answer(std::move(json)); }

  const std::string* result() const { return std::get_if<std::string>(&content_); }
  const Refusal* refusal() const { return std::get_if<Refusal>(&content_); }

 private:
  explicit Answer(std::string json) : content_(std::move(json)) {}

  std::variant<std::string, Refusal> content_;
};

// Called once, on the API's thread, now or later; a caller that has gone meanwhile is no matter.
using Reply = std::function<void(Answer)>;

// JSON on one line; bytes that are no UTF-8 are replaced.
std::string one_line(const nlohmann::ordered_json& document);

}  // namespace bulkhead

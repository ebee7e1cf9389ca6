// SPDX-License-Identifier: Apache-2.0
// Builds the tree of a message while nlohmann's parser reads it, and stops at the first thing that is too
// much.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "controller/api/answer.h"

namespace bulkhead {

class MessageBuilder {
 public:
  using Json = nlohmann::json;

  explicit MessageBuilder(std::size_t most_requests) : most_requests_(most_requests) {}

  // Where parsing stopped: the code of JSON-RPC, and why.
  const Refusal* refusal() const { return refusal_ ? &*refusal_ : nullptr; }
  Json& root() { return root_; }

  // A number that has no exact value here, as it was written: the "id" of the request with that index in its
  // batch (0 outside of one). Else nothing.
  const std::string* written_id(std::size_t request) const;

  // What nlohmann's parser calls; false stops it.
  bool null() { return add(nullptr) != nullptr; }
  bool boolean(bool value) { return add(value) != nullptr; }
  bool number_integer(Json::number_integer_t value) { return add(value) != nullptr; }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value) != nullptr; }
  bool number_float(Json::number_float_t value, const std::string& written);
  bool string(std::string& value) { return add(std::move(value)) != nullptr; }
  bool binary(Json::binary_t& value) { return add(std::move(value)) != nullptr; }
  bool start_object(std::size_t size) { return open(Json::object(), size); }
  bool start_array(std::size_t size) { return open(Json::array(), size); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name);
  bool parse_error(std::size_t position, const std::string& token, const Json::exception& why);

 private:
  Json* add(Json value);
  bool open(Json container, std::size_t size);
  bool close();
  bool refuse(int code, std::string message);

  std::size_t most_requests_;
  Json root_;
  std::vector<Json*> open_;  // the innermost last; a container does not move while something in it is open
  Json* slot_ = nullptr;     // of the key that was read last, for its value
  bool slot_is_id_ = false;  // of the key "id"
  std::size_t values_ = 0;
  std::map<std::size_t, std::string> written_ids_;
  std::optional<Refusal> refusal_;
};

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// A JSON text with `//` comments, and where each of its values stands.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "controller/base/error.h"

namespace bulkhead {

class PlacedJson {
 public:
  // Throws Error(invalid), with the place in `file`, for what is no JSON, a key that comes twice in an
  // object, a text or a nesting that is larger than any machine file has reason to be.
  PlacedJson(std::string_view text, std::string file);
  ~PlacedJson();

  const nlohmann::json& root() const { return *root_; }
  const std::string& file() const { return file_; }

  // The error of the value at `pointer`, a JSON pointer; "" is the whole document.
  Error error_at(const std::string& pointer, std::string message) const;

 private:
  class Builder;

  Error error_at_offset(std::size_t offset, const std::string& pointer, std::string message) const;

  std::string_view text_;  // of the caller, who keeps it
  std::string file_;
  std::unique_ptr<nlohmann::json> root_;
  std::map<std::string, std::size_t, std::less<>> offsets_;  // by pointer
};

// The pointer of a member: `pointer`/`key` with '~' and '/' escaped.
std::string member_pointer(const std::string& pointer, std::string_view key);

}  // namespace bulkhead

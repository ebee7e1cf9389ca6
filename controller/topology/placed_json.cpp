// SPDX-License-Identifier: Apache-2.0
#include "controller/topology/placed_json.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace bulkhead {
namespace {

constexpr std::size_t kLargestText = std::size_t{4} << 20;
constexpr std::size_t kDeepest = 16;

// Reads the text and tells how far the parser has read, which copies of an iterator could not.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  std::string_view text;
  std::size_t* offset = nullptr;  // none is the end

  reference operator*() const { return text[*offset]; }
  CountingIterator& operator++() {
    ++*offset;
    return *this;
  }
  bool operator==(const CountingIterator& other) const {
    const bool at_end = offset == nullptr || *offset == text.size();
    return at_end == (other.offset == nullptr || *other.offset == text.size());
  }
  bool operator!=(const CountingIterator& other) const { return !(*this == other); }
};

// The start of the next token at or after `at`: past blanks, comments, commas and colons.
std::size_t next_token(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at).starts_with("/*")) {
      at = std::min(text.find("*/", at + 2), text.size() - 2) + 2;
    } else if (std::string_view(" \t\r\n,:").find(text[at]) != std::string_view::npos) {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

// "unexpected end of input; expected ..." of nlohmann's long sentence.
std::string reason_of(const std::string& what) {
  constexpr std::string_view kBefore = " - ";
  const auto at = what.find(kBefore);
  return at == std::string::npos ? what : what.substr(at + kBefore.size());
}

}  // namespace

std::string member_pointer(const std::string& pointer, std::string_view key) {
  std::string member = pointer + '/';
  for (const char letter : key) {
    if (letter == '~') {
      member += "~0";
    } else if (letter == '/') {
      member += "~1";
    } else {
      member += letter;
    }
  }
  return member;
}

// The parser's events, made into a document with places.
class PlacedJson::Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(PlacedJson& document, const std::size_t& consumed) : document_(document), consumed_(consumed) {}

  bool null() override { return add(nullptr, 0); }
  bool boolean(bool value) override { return add(value, 0); }
  // The parser has read the letter after a number as well.
  bool number_integer(std::int64_t value) override { return add(value, 1); }
  bool number_unsigned(std::uint64_t value) override { return add(value, 1); }
  bool number_float(double value, const std::string&) override { return add(value, 1); }
  bool string(std::string& value) override { return add(std::move(value), 0); }
  bool binary(nlohmann::json::binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(nlohmann::json::object()); }
  bool start_array(std::size_t) override { return open(nlohmann::json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    const std::size_t offset = advance(0);
    Level& level = open_.back();
    level.key = name;
    if (level.value->contains(name)) {
      throw document_.error_at_offset(offset, member_pointer(level.pointer, name),
                                      "the key \"" + name + "\" comes a second time");
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& problem) override {
    throw document_.error_at_offset(position == 0 ? 0 : position - 1, "",
                                    "no valid JSON: " + reason_of(problem.what()));
  }

 private:
  struct Level {
    nlohmann::json* value;
    std::string pointer;
    std::string key;
  };

  std::size_t advance(std::size_t read_ahead) {
    const std::size_t start = next_token(document_.text_, cursor_);
    const bool at_end = consumed_ == document_.text_.size();
    cursor_ = at_end ? consumed_ : consumed_ - read_ahead;
    return start;
  }

  nlohmann::json* place(nlohmann::json value, std::size_t read_ahead, std::string& pointer) {
    const std::size_t offset = advance(read_ahead);
    nlohmann::json* placed = document_.root_.get();
    if (open_.empty()) {
      *document_.root_ = std::move(value);
    } else if (Level& level = open_.back(); level.value->is_array()) {
      pointer = level.pointer + '/' + std::to_string(level.value->size());
      placed = &level.value->emplace_back(std::move(value));
    } else {
      pointer = member_pointer(level.pointer, level.key);
      placed = &(*level.value)[level.key];
      *placed = std::move(value);
    }
    document_.offsets_.emplace(pointer, offset);
    return placed;
  }

  bool add(nlohmann::json value, std::size_t read_ahead) {
    std::string pointer;
    place(std::move(value), read_ahead, pointer);
    return true;
  }

  bool open(nlohmann::json value) {
    std::string pointer;
    nlohmann::json* placed = place(std::move(value), 0, pointer);
    if (open_.size() == kDeepest) {
      throw document_.error_at(pointer,
                               "values are nested deeper than " + std::to_string(kDeepest) + " levels");
    }
    open_.push_back({.value = placed, .pointer = pointer, .key = {}});
    return true;
  }

  bool close() {
    advance(0);
    open_.pop_back();
    return true;
  }

  PlacedJson& document_;
  const std::size_t& consumed_;  // by the parser
  std::size_t cursor_ = 0;       // the end of the last token
  std::vector<Level> open_;
};

PlacedJson::PlacedJson(std::string_view text, std::string file)
    : text_(text), file_(std::move(file)), root_(std::make_unique<nlohmann::json>()) {
  if (text.size() > kLargestText) {
    throw error_at_offset(0, "", "the file is larger than 4 MiB, which no machine file needs");
  }
  std::size_t consumed = 0;
  Builder builder(*this, consumed);
  nlohmann::json::sax_parse(CountingIterator{text, &consumed}, CountingIterator{text, nullptr}, &builder,
                            nlohmann::json::input_format_t::json, true, true);
}

PlacedJson::~PlacedJson() = default;

Error PlacedJson::error_at(const std::string& pointer, std::string message) const {
  const auto found = offsets_.find(pointer);
  return error_at_offset(found == offsets_.end() ? 0 : found->second, pointer, std::move(message));
}

Error PlacedJson::error_at_offset(std::size_t offset, const std::string& pointer, std::string message) const {
  std::size_t line = 1;
  std::size_t column = 1;
  for (const char letter : text_.substr(0, offset)) {
    column = letter == '\n' ? 1 : column + 1;
    if (letter == '\n') ++line;
  }
  Error error(ErrorCode::invalid, std::move(message));
  error.set_place(file_, line, column, pointer);
  return error;
}

}  // namespace bulkhead

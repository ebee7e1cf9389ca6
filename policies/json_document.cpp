// SPDX-License-Identifier: Apache-2.0
#include "policies/json_document.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "policies/json_syntax.h"
#include "policies/json_text.h"
#include "policies/quote.h"

namespace bulkhead {
namespace {

// The parser reads through this, so that a handler knows how far it came.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* read) : at_(at), read_(read) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*read_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  std::size_t* read_;
};

// Builds the tree from the parser's events; each begins at the first byte behind the one before that is no
// blank, comment or separator. The names are what the parser calls them.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const std::size_t& read, JsonDocument& document,
              DiagnosticList& problems, Problem where_empty)
      : text_(text), read_(read), lines_(text), document_(document), problems_(problems) {
    progress_.where_empty = where_empty;
  }

  bool null() { return add_word(JsonType::null); }
  bool boolean(bool) { return add_word(JsonType::boolean); }
  bool number_integer(std::int64_t) { return add_word(JsonType::number); }
  bool number_unsigned(std::uint64_t) { return add_word(JsonType::number); }
  bool number_float(double, const std::string&) { return add_word(JsonType::number); }
  bool string(std::string& text) {
    begin_token();
    JsonValue* value = add_value(JsonType::string);
    if (value == nullptr) return false;
    value->text = std::move(text);
    refuse_nul(value->text, value->place());
    end_token(JsonEvent::value, read_);
    return true;
  }
  bool binary(nlohmann::json::binary_t&) { return false; }  // JSON has none
  bool start_object(std::size_t) { return open(JsonType::object); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(JsonType::array); }
  bool end_array() { return close(); }
  bool key(std::string& name);
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) {
    explain_syntax(text_, progress_, problems_);
    return false;
  }

 private:
  struct OpenContainer {
    JsonValue* value = nullptr;         // of an object or array
    std::map<std::string, Place> keys;  // seen in the object
    bool repeated = false;              // the key that waits for its value was there before
    std::size_t elements = 0;
  };

  void begin_token();
  void end_token(JsonEvent event, std::size_t end) {
    progress_.event = event;
    progress_.end = end;
  }
  Place token_in_container() const {
    return {token_.line, token_.column, open_.empty() ? "" : open_.back().value->pointer()};
  }
  JsonValue* add_value(JsonType type);
  bool add_word(JsonType type);
  bool open(JsonType type);
  bool close();
  void refuse_nul(const std::string& text, Place place) {
    if (text.find('\0') != std::string::npos) problems_.add(std::move(place), Problem::nul_byte);
  }

  std::string_view text_;
  const std::size_t& read_;
  LineCounter lines_;
  JsonDocument& document_;
  DiagnosticList& problems_;
  JsonProgress progress_;
  Place token_;       // of the event at hand
  Place key_;         // of the key that waits for its value
  std::string name_;  // that key
  std::vector<OpenContainer> open_;
};

void TreeBuilder::begin_token() {
  std::size_t at = skip_blanks(text_, progress_.end);
  // The parser has seen that separators stand where they should.
  while (at < text_.size() && (text_[at] == ',' || text_[at] == ':')) at = skip_blanks(text_, at + 1);
  progress_.begin = at;
  token_ = lines_.place_of(at);
}

JsonValue* TreeBuilder::add_value(JsonType type) {
  if (document_.values.size() == kMostJsonValues) {
    problems_.add(token_in_container(), Problem::too_many_values, {std::to_string(kMostJsonValues)});
    return nullptr;
  }
  JsonValue& value = document_.values.emplace_back();
  value.type = type;
  value.line = token_.line;
  value.column = token_.column;
  if (open_.empty()) return &value;
  OpenContainer& around = open_.back();
  value.parent = around.value;
  value.index = around.elements++;
  if (around.value->type == JsonType::object) {
    value.key = name_;
    value.key_line = key_.line;
    value.key_column = key_.column;
  }
  if (!around.repeated) around.value->children.push_back(&value);
  return &value;
}

// Literals and numbers. How far the parser came does not tell their end: it looks at the byte behind a
// number.
bool TreeBuilder::add_word(JsonType type) {
  begin_token();
  JsonValue* value = add_value(type);
  if (value == nullptr) return false;
  const std::string_view word = text_.substr(progress_.begin);
  const std::size_t length = type == JsonType::number    ? number_length(word)
                             : word.starts_with("false") ? 5
                                                         : 4;
  value->text = word.substr(0, length);
  end_token(JsonEvent::value, progress_.begin + length);
  return true;
}

bool TreeBuilder::open(JsonType type) {
  begin_token();
  if (open_.size() == kDeepestJson) {
    problems_.add(token_in_container(), Problem::too_deep, {std::to_string(kDeepestJson)});
    return false;
  }
  JsonValue* value = add_value(type);
  if (value == nullptr) return false;
  open_.push_back({.value = value});
  progress_.open.push_back(value);
  end_token(JsonEvent::opened, progress_.begin + 1);
  return true;
}

bool TreeBuilder::close() {
  begin_token();
  open_.pop_back();
  progress_.open.pop_back();
  end_token(JsonEvent::value, progress_.begin + 1);
  return true;
}

bool TreeBuilder::key(std::string& name) {
  begin_token();
  end_token(JsonEvent::key, read_);
  OpenContainer& around = open_.back();
  if (name.size() > kLongestJsonKey) {
    problems_.add(token_in_container(), Problem::long_key,
                  {in_quotes(name), std::to_string(name.size()), std::to_string(kLongestJsonKey)});
    return false;
  }
  refuse_nul(name, token_in_container());
  const auto [first, inserted] = around.keys.emplace(name, token_);
  around.repeated = !inserted;
  if (around.repeated) {
    const Place& before = first->second;
    problems_.add(token_in_container(), Problem::duplicate_key,
                  {in_quotes(name), std::to_string(before.line) + ':' + std::to_string(before.column)});
  }
  key_ = token_;
  name_ = std::move(name);
  return true;
}

std::string escaped_for_pointer(std::string_view key) {
  std::string escaped;
  for (const char letter : key) {
    if (letter == '~') {
      escaped += "~0";
    } else if (letter == '/') {
      escaped += "~1";
    } else {
      escaped += letter;
    }
  }
  return escaped;
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(children, [&](const JsonValue* child) { return child->key == name; });
  return found == children.end() ? nullptr : *found;
}

std::string JsonValue::pointer() const {
  if (parent == nullptr) return "";
  const bool member = parent->type == JsonType::object;
  return parent->pointer() + '/' + (member ? escaped_for_pointer(key) : std::to_string(index));
}

JsonDocument parse_json(std::string_view text, DiagnosticList& problems, Problem where_empty) {
  JsonDocument document;
  if (!check_bytes(text, problems)) return document;
  std::size_t read = 0;
  TreeBuilder builder(text, read, document, problems, where_empty);
  const CountingIterator begin(text.data(), &read);
  const CountingIterator end(text.data() + text.size(), &read);
  constexpr bool kNothingBehind = true;
  constexpr bool kComments = true;
  if (!nlohmann::json::sax_parse(begin, end, &builder, nlohmann::json::input_format_t::json, kNothingBehind,
                                 kComments)) {
    document.values.clear();
  }
  return document;
}

JsonDocument parse_document(std::string_view text, DiagnosticList& problems, Problem where_empty) {
  if (text.size() <= kLargestDocument) return parse_json(text, problems, where_empty);
  problems.add({1, 1, ""}, Problem::too_large,
               {std::to_string(text.size()), std::to_string(kLargestDocument)});
  return {};
}

}  // namespace bulkhead

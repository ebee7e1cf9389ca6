// SPDX-License-Identifier: Apache-2.0
#include "policies/json_syntax.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "policies/json_string_syntax.h"
#include "policies/json_text.h"
#include "policies/quote.h"

namespace bulkhead {
namespace {

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

// What somebody meant as one word: all up to a blank or JSON's own punctuation.
std::string_view word_at(std::string_view text, std::size_t at) {
  return text.substr(at, std::min(text.find_first_of(" \t\r\n,:[]{}\"", at), text.size()) - at);
}

std::string lower_case(std::string_view word) {
  std::string result(word);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return result;
}

class Explainer {
 public:
  Explainer(std::string_view text, const JsonProgress& progress, DiagnosticList& problems)
      : text_(text), progress_(progress), problems_(problems), at_(skip_blanks(text, progress.end)) {}

  void explain() {
    switch (progress_.event) {
      case JsonEvent::nothing:
        if (at_ == text_.size()) return add(progress_.where_empty);
        return explain_token("'{'");
      case JsonEvent::opened:
        return explain_token(in_object() ? "a key in double quotes or '}'" : "a value or ']'");
      case JsonEvent::key:
        return explain_after_key();
      case JsonEvent::value:
        return progress_.open.empty() ? explain_end() : explain_after_value();
    }
  }

 private:
  bool in_object() const { return progress_.open.back()->type == JsonType::object; }
  bool found(char letter) const { return at_ < text_.size() && text_[at_] == letter; }

  void add(Problem problem, std::initializer_list<std::string_view> arguments = {}) {
    add_at(at_, problem, arguments);
  }

  void add_at(std::size_t offset, Problem problem, std::initializer_list<std::string_view> arguments = {}) {
    Place place = LineCounter(text_).place_of(offset);
    if (!progress_.open.empty()) place.pointer = progress_.open.back()->pointer();
    problems_.add(std::move(place), problem, arguments);
  }

  void explain_after_key() {
    if (!found(':')) return explain_separator("':' after the key");
    at_ = skip_blanks(text_, at_ + 1);
    explain_token("a value");
  }

  void explain_after_value() {
    if (!found(',')) return explain_separator(in_object() ? "',' or '}'" : "',' or ']'");
    const std::size_t comma = at_;
    at_ = skip_blanks(text_, at_ + 1);
    if (found(in_object() ? '}' : ']')) return add_at(comma, Problem::trailing_comma);
    explain_token(in_object() ? "a key in double quotes" : "a value");
  }

  void explain_end() {
    if (explain_tail()) return;
    if (explain_comment()) return;
    add(Problem::trailing_text, {found_text()});
  }

  void explain_separator(std::string_view expected) {
    if (at_ == text_.size()) return explain_end_of_file();
    if (explain_tail()) return;
    if (explain_comment()) return;
    add(Problem::unexpected, {found_text(), expected});
  }

  // 75%, 0xfff, 012 and trueish begin with what the parser took for a value already.
  bool explain_tail() {
    if (progress_.event != JsonEvent::value || at_ != progress_.end) return false;
    const std::string_view word = word_at(text_, progress_.begin);
    if (word.size() <= progress_.end - progress_.begin) return false;
    at_ = progress_.begin;
    explain_word(word);
    return true;
  }

  void explain_token(std::string_view expected) {
    if (at_ == text_.size()) return explain_end_of_file();
    if (explain_comment()) return;
    if (found('\'')) return add(Problem::single_quotes);
    const bool key_expected = expected.starts_with("a key");
    if (found('"')) return explain_string();
    const std::string_view word = word_at(text_, at_);
    const auto first = static_cast<unsigned char>(text_[at_]);
    if (word.empty() || (key_expected && is_digit(text_[at_])) ||
        (std::isalnum(first) == 0 && std::string_view("_+-.").find(text_[at_]) == std::string_view::npos)) {
      return add(Problem::unexpected, {found_text(), expected});
    }
    explain_word(word);
  }

  bool explain_comment() {
    if (found('#')) return add(Problem::hash_comment), true;
    if (text_.substr(at_, 2) == "/*") return add(Problem::open_comment), true;
    return false;
  }

  void explain_word(std::string_view word) {
    const std::string lower = lower_case(word.substr(0, kLongestQuote));
    const bool has_letters = std::ranges::any_of(word, [](unsigned char letter) {
      return std::isalpha(letter) != 0 || letter == '%' || letter > 0x7f;
    });
    if (lower == "true" || lower == "false" || lower == "null") {
      add(Problem::wrong_case, {shortened(word), lower});
    } else if (number_length(word) == word.size()) {
      add(Problem::huge_number, {shortened(word)});
    } else if (has_letters) {
      add(Problem::no_quotes, {shortened(word), in_quotes(word)});
    } else {
      add(Problem::wrong_number, {shortened(word)});
    }
  }

  void explain_string() {
    const StringFault fault = find_string_fault(text_, at_);
    add_at(fault.offset, fault.problem, {fault.found, fault.right});
  }

  void explain_end_of_file() {
    if (progress_.open.empty()) return add(progress_.where_empty);
    const JsonValue& open = *progress_.open.back();
    const std::string begin = std::to_string(open.line) + ':' + std::to_string(open.column);
    add(Problem::not_closed, {in_object() ? "object" : "array", begin, in_object() ? "}" : "]"});
  }

  std::string found_text() const {
    if (found('"')) {
      const std::size_t end = text_.find('"', at_ + 1);
      return in_quotes(text_.substr(at_ + 1, std::min(end, text_.size()) - at_ - 1));
    }
    const std::string_view word = word_at(text_, at_);
    return "'" + shortened(word.empty() ? text_.substr(at_, character_length(text_, at_)) : word) + "'";
  }

  std::string_view text_;
  const JsonProgress& progress_;
  DiagnosticList& problems_;
  std::size_t at_;  // what the parser could not take
};

}  // namespace

void explain_syntax(std::string_view text, const JsonProgress& progress, DiagnosticList& problems) {
  Explainer(text, progress, problems).explain();
}

}  // namespace bulkhead

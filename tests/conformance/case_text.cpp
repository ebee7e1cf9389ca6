// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/case_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "controller/base/error.h"
#include "controller/base/text.h"

namespace bulkhead::conformance {
namespace {

constexpr std::array<std::pair<char, char>, 5> kEscapes{
    {{'n', '\n'}, {'t', '\t'}, {'0', '\0'}, {'"', '"'}, {'\\', '\\'}}};

class Reader {
 public:
  explicit Reader(std::string_view line) : rest_(line) {}

  std::vector<Word> read() {
    std::vector<Word> words;
    bool joins = false;
    while (skip_blanks()) {
      if (rest_.front() == '+' && rest_.substr(1).starts_with(' ')) {
        rest_.remove_prefix(1);
        joins = true;
        continue;
      }
      Word word = read_word();
      if (joins && !words.empty()) {
        words.back().text += word.text;
      } else {
        words.push_back(std::move(word));
      }
      joins = false;
    }
    return words;
  }

 private:
  bool skip_blanks() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    return !rest_.empty() && rest_.front() != '#';
  }

  Word read_word() {
    std::size_t times = 1;
    const std::size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    if (digits > 0 && rest_.substr(digits).starts_with("*\"")) {
      times = parse_integer<std::size_t>(rest_.substr(0, digits)).value_or(0);
      rest_.remove_prefix(digits + 1);
    }
    if (rest_.front() != '"') {
      const std::string_view plain = rest_.substr(0, rest_.find(' '));
      rest_.remove_prefix(plain.size());
      return {std::string(plain), false};
    }
    const std::string once = read_quoted();
    Word word{"", true};
    for (std::size_t index = 0; index < times; ++index) word.text += once;
    return word;
  }

  std::string read_quoted() {
    std::string text;
    for (std::size_t at = 1; at < rest_.size(); ++at) {
      if (rest_[at] == '"') {
        rest_.remove_prefix(at + 1);
        return text;
      }
      if (rest_[at] != '\\') {
        text += rest_[at];
        continue;
      }
      const char escape = ++at < rest_.size() ? rest_[at] : '\0';
      const auto found =
          std::ranges::find(kEscapes, escape, [](const std::pair<char, char>& entry) { return entry.first; });
      if (found == kEscapes.end()) {
        throw Error(ErrorCode::invalid, std::string("no such escape in a text: \\") + escape);
      }
      text += found->second;
    }
    throw Error(ErrorCode::invalid, "a text that begins with \" lacks its end");
  }

  std::string_view rest_;
};

}  // namespace

std::vector<Word> words_of(std::string_view line) {
  return Reader(line).read();
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 400;  // bytes shown of a text
  std::string shown = "\"";
  for (const char character : text.substr(0, kLongest)) {
    const auto found = std::ranges::find(kEscapes, character,
                                         [](const std::pair<char, char>& entry) { return entry.second; });
    if (found == kEscapes.end()) {
      shown += character;
    } else {
      shown += {'\\', found->first};
    }
  }
  return shown + (text.size() > kLongest ? "..." : "") + '"';
}

}  // namespace bulkhead::conformance

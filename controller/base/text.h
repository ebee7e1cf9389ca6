// SPDX-License-Identifier: Apache-2.0
// The few text helpers that every room needs. Integers are parsed here and nowhere else.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bulkhead {

// The whole text as an integer: no blanks, no sign where T is unsigned, no prefix, no overflow.
template <class T>
std::optional<T> parse_integer(std::string_view text, int base = 10) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

std::string_view trim(std::string_view text);  // blanks, tabs and newlines at both ends

// The parts between separators, not trimmed; an empty text has no parts, a separator at the end makes no
// empty last part.
std::vector<std::string_view> split(std::string_view text, char separator);
// The parts would outlive a temporary string.
template <std::same_as<std::string> Temporary>
std::vector<std::string_view> split(Temporary&& text, char separator) = delete;

std::string join(std::span<const std::string> parts, std::string_view separator);

// The candidate that `word` is most likely a misspelling of (case ignored, at most a third of it wrong);
// empty if none is close.
std::string_view closest(std::string_view word, std::span<const std::string_view> candidates);

// Shell-like pattern: '*' any text, '?' one character; both also match '/'.
bool matches_pattern(std::string_view text, std::string_view pattern);

// A count with its noun, "1 way", "12 ways".
std::string counted(std::size_t count, std::string_view noun);

}  // namespace bulkhead

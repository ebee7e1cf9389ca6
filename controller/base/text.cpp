// SPDX-License-Identifier: Apache-2.0
#include "controller/base/text.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace bulkhead {
namespace {

char lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

// Edit distance with neighbours swapped counting once, letters compared without case.
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(right.size() + 1);
  std::vector<std::size_t> current(right.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const bool same = lower(left[i - 1]) == lower(right[j - 1]);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(left[i - 1]) == lower(right[j - 2]) &&
          lower(left[i - 2]) == lower(right[j - 1])) {
        current[j] = std::min(current[j], before_last[j - 2] + 1);
      }
    }
    before_last = last;
    std::swap(last, current);
  }
  return last.back();
}

}  // namespace

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\r";
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string joined;
  for (const std::string& part : parts) {
    if (&part != parts.data()) joined += separator;
    joined += part;
  }
  return joined;
}

std::string_view closest(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongest = 64;  // a longer word is no misspelling; this bounds the work
  if (word.size() > kLongest) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t found = distance(word, candidate);
    if (found < best_distance) {
      best = candidate;
      best_distance = found;
    }
  }
  return best;
}

bool matches_pattern(std::string_view text, std::string_view pattern) {
  std::size_t at = 0;
  std::size_t in_pattern = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_at = 0;
  while (at < text.size()) {
    if (in_pattern < pattern.size() && (pattern[in_pattern] == '?' || pattern[in_pattern] == text[at]) &&
        pattern[in_pattern] != '*') {
      ++at;
      ++in_pattern;
    } else if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      star_at = at;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      at = ++star_at;
    } else {
      return false;
    }
  }
  while (in_pattern < pattern.size() && pattern[in_pattern] == '*') ++in_pattern;
  return in_pattern == pattern.size();
}

std::string counted(std::size_t count, std::string_view noun) {
  std::string text = std::to_string(count) + ' ' + std::string(noun);
  if (count != 1) text += noun.ends_with("s") || noun.ends_with("x") ? "es" : "s";
  return text;
}

}  // namespace bulkhead

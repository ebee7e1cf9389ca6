// SPDX-License-Identifier: Apache-2.0
#include "policies/series_selector.h"

#include <algorithm>
#include <optional>

namespace bulkhead {
namespace {

constexpr std::string_view kNameLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
constexpr std::string_view kNameDigits = "0123456789";

bool is_label_letter(char letter) {
  return kNameLetters.find(letter) != std::string_view::npos || kNameDigits.find(letter) != std::string_view::npos;
}

bool is_name_letter(char letter) {
  return is_label_letter(letter) || letter == ':';
}

std::string_view take_while(std::string_view& text, bool (*wanted)(char)) {
  const auto end = std::ranges::find_if_not(text, wanted);
  const auto taken = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(taken.size());
  return taken;
}

void skip_spaces(std::string_view& text) {
  take_while(text, [](char letter) { return letter == ' ' || letter == '\t'; });
}

bool take(std::string_view& text, char wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  return true;
}

// The text between double quotes; the escapes are \\, \" and \n.
std::optional<std::string> take_quoted(std::string_view& text) {
  if (!take(text, '"')) return std::nullopt;
  std::string value;
  while (!text.empty() && text.front() != '"') {
    char letter = text.front();
    text.remove_prefix(1);
    if (letter == '\\') {
      if (text.empty()) return std::nullopt;
      letter = text.front() == 'n' ? '\n' : text.front();
      text.remove_prefix(1);
    }
    value += letter;
  }
  if (!take(text, '"')) return std::nullopt;
  return value;
}

}  // namespace

bool is_series_name(std::string_view text) {
  return !text.empty() && kNameDigits.find(text.front()) == std::string_view::npos &&
         std::ranges::all_of(text, is_name_letter);
}

std::variant<Labels, std::string> take_labels(std::string_view& text) {
  Labels labels;
  take(text, '{');
  for (skip_spaces(text); !take(text, '}'); skip_spaces(text)) {
    const std::string name(take_while(text, is_label_letter));
    skip_spaces(text);
    if (name.empty() || kNameDigits.find(name.front()) != std::string_view::npos)
      return "a label's name is missing";
    if (text.starts_with("!=") || text.starts_with("=~") || text.starts_with("!~"))
      return "labels are compared with = only";
    if (!take(text, '=')) return "the label " + name + " has no value";
    skip_spaces(text);
    auto value = take_quoted(text);
    if (!value) return "the value of the label " + name + " has no double quotes around it";
    if (std::ranges::find(labels, name, &Labels::value_type::first) != labels.end())
      return "the label " + name + " is there twice";
    labels.emplace_back(name, std::move(*value));
    skip_spaces(text);
    if (!take(text, ',') && !text.starts_with('}')) return "a '}' is missing";
  }
  return labels;
}

std::variant<SeriesSelector, std::string> parse_series(std::string_view text) {
  SeriesSelector series{.name = std::string(take_while(text, is_name_letter)), .labels = {}};
  if (!is_series_name(series.name)) return "it begins with no name";
  skip_spaces(text);
  if (text.starts_with('{')) {
    auto labels = take_labels(text);
    if (auto* why = std::get_if<std::string>(&labels)) return std::move(*why);
    series.labels = std::get<Labels>(std::move(labels));
  }
  if (!text.empty()) return "something follows it";
  return series;
}

}  // namespace bulkhead

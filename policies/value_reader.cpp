// SPDX-License-Identifier: Apache-2.0
#include "policies/value_reader.h"

#include <algorithm>
#include <vector>

#include "controller/base/error.h"
#include "controller/base/real.h"
#include "controller/base/text.h"
#include "policies/duration.h"
#include "policies/quote.h"

namespace bulkhead {
namespace {

std::string plain_quoted(std::string_view word) {
  return '"' + std::string(word) + '"';
}

std::string listed(std::span<const Keyword> keywords) {
  std::vector<std::string> names;
  names.reserve(keywords.size());
  for (const Keyword& keyword : keywords) names.push_back(plain_quoted(keyword.name));
  return join(names, ", ");
}

void report_unknown_key(DiagnosticList& problems, const JsonValue& member, const KeywordTable& table) {
  if (!problems.shows(member.key_line, member.key_column)) return problems.count_hidden();
  std::vector<std::string_view> known;
  known.reserve(table.keywords.size());
  for (const Keyword& keyword : table.keywords) known.push_back(keyword.name);
  const std::string_view meant = closest(member.key, known);
  if (meant.empty()) {
    problems.add(member.key_place(), Problem::unknown_key, {in_quotes(member.key), listed(table.keywords)});
  } else {
    problems.add(member.key_place(), Problem::misspelt_key, {in_quotes(member.key), plain_quoted(meant)});
  }
}

// The text that a number or an array of numbers stands for, where ids are asked for; empty if it is neither.
std::string ids_meant(const JsonValue& value) {
  constexpr std::size_t kMostShown = 16;
  const auto is_id = [](const JsonValue& number) {
    return number.type == JsonType::number && parse_integer<unsigned>(number.text).has_value();
  };
  if (is_id(value)) return value.text;
  if (value.type != JsonType::array || value.children.empty() || value.children.size() > kMostShown)
    return "";
  std::vector<std::string> ids;
  for (const JsonValue* element : value.children) {
    if (!is_id(*element)) return "";
    ids.push_back(element->text);
  }
  return join(ids, ",");
}

// Of `{"a": 1}, {"b": 2} or "c"`.
std::string_view first_example(std::string_view examples) {
  const auto end = examples.find("}, {");
  return end == std::string_view::npos ? examples : examples.substr(0, end + 1);
}

bool takes_ids(const Keyword& keyword) {
  return keyword.what == "a list of ids";
}

}  // namespace

std::string found_text(const JsonValue& value) {
  switch (value.type) {
    case JsonType::string:
      return in_quotes(value.text);
    case JsonType::array:
      return value.children.empty() ? "an empty array" : "an array";
    case JsonType::object:
      return value.children.empty() ? "an empty object" : "an object";
    case JsonType::null:
    case JsonType::boolean:
    case JsonType::number:
      return shortened(value.text);
  }
  return "";
}

void refuse(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword) {
  problems.add(value.place(), Problem::wrong_value, {found_text(value), keyword.what, keyword.example});
}

bool check_type(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword) {
  if (accepts(keyword.types, value.type)) return true;
  const std::string meant = takes_ids(keyword) ? ids_meant(value) : "";
  if (meant.empty()) {
    refuse(problems, value, keyword);
  } else {
    problems.add(value.place(), Problem::number_as_ids, {plain_quoted(meant)});
  }
  return false;
}

const Keyword* check_member(DiagnosticList& problems, const JsonValue& member, const KeywordTable& table) {
  const Keyword* keyword = table.find(member.key);
  if (keyword == nullptr) report_unknown_key(problems, member, table);
  return keyword != nullptr && check_type(problems, member, *keyword) ? keyword : nullptr;
}

void check_required(DiagnosticList& problems, const JsonValue& object, const KeywordTable& table) {
  for (const Keyword& keyword : table.keywords) {
    if (keyword.presence == Presence::required && object.find(keyword.name) == nullptr) {
      const std::string_view example = first_example(keyword.example);
      problems.add(object.place(), Problem::missing_key, {keyword.name, keyword.name, example});
    }
  }
}

const JsonValue* exactly_one(DiagnosticList& problems, const JsonValue& object,
                             std::span<const Keyword> choices, std::string_view subject, const Keyword& as) {
  const JsonValue* chosen = nullptr;
  for (const JsonValue* member : object.children) {
    if (std::ranges::find(choices, member->key, &Keyword::name) == choices.end()) continue;
    if (chosen != nullptr) {
      problems.add(member->key_place(), Problem::one_of_many,
                   {member->key, chosen->key, subject, listed(choices)});
    } else {
      chosen = member;
    }
  }
  if (object.children.empty()) problems.add(object.place(), Problem::one_of_missing, {as.what, as.example});
  return chosen;
}

void refuse_word(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                 std::span<const std::string_view> words) {
  const std::string_view meant = closest(value.text, words);
  if (meant.empty()) return refuse(problems, value, keyword);
  problems.add(value.place(), Problem::misspelt_word, {found_text(value), keyword.what, plain_quoted(meant)});
}

std::optional<std::uint64_t> read_whole(DiagnosticList& problems, const JsonValue& value,
                                        const Keyword& keyword, std::uint64_t least, std::uint64_t most) {
  const bool whole = value.text.find_first_of(".eE") == std::string::npos;
  if (value.type != JsonType::number || !whole) {
    refuse(problems, value, keyword);
    return std::nullopt;
  }
  const auto number = parse_integer<std::uint64_t>(value.text);
  if (number && *number >= least && *number <= most) return number;
  problems.add(value.place(), Problem::out_of_range,
               {shortened(value.text), keyword.what, std::to_string(least), std::to_string(most)});
  return std::nullopt;
}

std::optional<unsigned> read_number(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                                    unsigned least, unsigned most) {
  const auto number = read_whole(problems, value, keyword, least, most);
  return number ? std::optional(static_cast<unsigned>(*number)) : std::nullopt;
}

std::optional<double> read_real(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword) {
  const auto number = parse_real(value.text);
  if (value.type == JsonType::number && number) return number;
  refuse(problems, value, keyword);
  return std::nullopt;
}

std::optional<std::chrono::milliseconds> read_time(DiagnosticList& problems, const JsonValue& value,
                                                   const Keyword& keyword, std::chrono::milliseconds least) {
  const auto time = parse_duration(value.text);
  if (!time) {
    refuse(problems, value, keyword);
  } else if (*time < least) {
    problems.add(value.place(), Problem::out_of_range,
                 {found_text(value), "a time here", std::to_string(least.count()) + "ms", "60m"});
  } else {
    return time;
  }
  return std::nullopt;
}

std::optional<Percent> read_percent(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                                    Percent least, Percent most) {
  const auto percent = Percent::parse(value.text);
  if (percent && *percent >= least && *percent <= most) return percent;
  refuse(problems, value, keyword);
  return std::nullopt;
}

std::optional<CpuSet> read_ids(DiagnosticList& problems, const JsonValue& value) {
  if (value.text.size() > kLongestIdList) {
    problems.add(value.place(), Problem::wrong_ids,
                 {found_text(value), "it has more than " + std::to_string(kLongestIdList) + " bytes"});
    return std::nullopt;
  }
  try {
    CpuSet ids = CpuSet::parse_list(value.text);
    if (!ids.empty()) return ids;
    problems.add(value.place(), Problem::empty_ids, {found_text(value)});
  } catch (const Error& error) {
    problems.add(value.place(), Problem::wrong_ids, {found_text(value), shortened(error.detail().message)});
  }
  return std::nullopt;
}

bool is_name(std::string_view text) {
  constexpr std::size_t kLongestName = 48;
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
  return !text.empty() && text.size() <= kLongestName && text.front() != '.' &&
         text.find_first_not_of(kLetters) == std::string_view::npos;
}

void check_name(DiagnosticList& problems, const JsonValue& member) {
  if (!is_name(member.key)) problems.add(member.key_place(), Problem::wrong_name, {in_quotes(member.key)});
}

}  // namespace bulkhead

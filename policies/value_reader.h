// SPDX-License-Identifier: Apache-2.0
// What all readers of policies and experiments share: objects by keyword table, words, numbers and ids, and
// the problems that any value can have.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "controller/base/cpu_set.h"
#include "controller/base/units.h"
#include "policies/diagnostic_list.h"
#include "policies/json_document.h"
#include "policies/keywords.h"

namespace bulkhead {

// A longer list of ids is refused; one of 8192 single CPUs has 20 KB.
inline constexpr std::size_t kLongestIdList = 32 << 10;

// What stands there, for "X is not ...": "75 percent", 12, an array.
std::string found_text(const JsonValue& value);

void refuse(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword);

// False, and refused, where the value has a type that the keyword does not take.
bool check_type(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword);

// The keyword of a member; nullptr, and a problem, if there is none of its name or its value has a wrong
// type.
const Keyword* check_member(DiagnosticList& problems, const JsonValue& member, const KeywordTable& table);

void check_required(DiagnosticList& problems, const JsonValue& object, const KeywordTable& table);

// The one member of `object` that has one of these keywords. A second one is a problem, and none in an empty
// object; `subject` is the object in messages, `as` what it stands for.
const JsonValue* exactly_one(DiagnosticList& problems, const JsonValue& object,
                             std::span<const Keyword> choices, std::string_view subject, const Keyword& as);

// Reads one keyword's value, which has a right type, into a target.
template <class Target>
struct Field {
  std::string_view name;
  void (*read)(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, Target& target);
};

// All members of an object, in their order. Each keyword of the table must have a field.
template <class Target>
void read_members(DiagnosticList& problems, const JsonValue& object, const KeywordTable& table,
                  std::span<const Field<Target>> fields, Target& target) {
  check_required(problems, object, table);
  for (const JsonValue* member : object.children) {
    const Keyword* keyword = check_member(problems, *member, table);
    if (keyword == nullptr) continue;
    for (const Field<Target>& field : fields) {
      if (field.name == keyword->name) field.read(problems, *member, *keyword, target);
    }
  }
}

template <class Value>
struct Word {
  std::string_view word;
  Value value;
};

// Refuses a word that is none of these, with the one that is probably meant.
void refuse_word(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                 std::span<const std::string_view> words);

template <class Value, std::size_t kCount>
std::optional<Value> read_word(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                               const Word<Value> (&words)[kCount]) {
  std::string_view known[kCount];
  for (std::size_t index = 0; index < kCount; ++index) {
    if (words[index].word == value.text) return words[index].value;
    known[index] = words[index].word;
  }
  refuse_word(problems, value, keyword, known);
  return std::nullopt;
}

// A whole number from `least` to `most`.
std::optional<unsigned> read_number(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                                    unsigned least, unsigned most);
std::optional<std::uint64_t> read_whole(DiagnosticList& problems, const JsonValue& value,
                                        const Keyword& keyword, std::uint64_t least, std::uint64_t most);

// A number that may have a fraction; nothing, and refused, where no double is near it.
std::optional<double> read_real(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword);

// A time from `least` to an hour.
std::optional<std::chrono::milliseconds> read_time(DiagnosticList& problems, const JsonValue& value,
                                                   const Keyword& keyword, std::chrono::milliseconds least);

std::optional<Percent> read_percent(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                                    Percent least, Percent most);

// A list of ids that is not empty.
std::optional<CpuSet> read_ids(DiagnosticList& problems, const JsonValue& value);

// [A-Za-z0-9_.-]{1,48}, not beginning with '.': it becomes part of names that the kernel keeps.
bool is_name(std::string_view text);

// Refuses the key of a member that is not a name.
void check_name(DiagnosticList& problems, const JsonValue& member);

}  // namespace bulkhead

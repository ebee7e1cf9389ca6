// SPDX-License-Identifier: Apache-2.0
#include "policies/arm_reader.h"

#include "policies/experiment_keywords.h"

namespace bulkhead {
namespace {

using Problems = DiagnosticList;

constexpr Field<Command> kCommandFields[] = {
    {"command", [](Problems& problems, const JsonValue& value, const Keyword& keyword,
                   Command& command) { command.words = read_words(problems, value, keyword); }},
    {"time_limit",
     [](Problems& problems, const JsonValue& value, const Keyword& keyword, Command& command) {
       constexpr std::chrono::milliseconds kShortest{1};
       command.time_limit = read_time(problems, value, keyword, kShortest).value_or(command.time_limit);
     }},
};

void read_command(Problems& problems, const JsonValue& value, std::optional<Command>& command) {
  command.emplace().place = value.place();
  read_members<Command>(problems, value, kCommandTable, kCommandFields, *command);
}

constexpr Field<ArmWant> kArmFields[] = {
    {"policy",
     [](Problems& problems, const JsonValue& value, const Keyword& keyword, ArmWant& arm) {
       if (value.text.empty()) return refuse(problems, value, keyword);
       arm.policy_place = value.place();
       if (value.text != "none") arm.policy = value.text;
     }},
    {"on_enter", [](Problems& problems, const JsonValue& value, const Keyword&,
                    ArmWant& arm) { read_command(problems, value, arm.on_enter); }},
    {"on_leave", [](Problems& problems, const JsonValue& value, const Keyword&,
                    ArmWant& arm) { read_command(problems, value, arm.on_leave); }},
};

}  // namespace

std::vector<std::string> read_words(Problems& problems, const JsonValue& value, const Keyword& keyword) {
  std::vector<std::string> words;
  for (const JsonValue* element : value.children) {
    if (element->type != JsonType::string) {
      refuse(problems, *element, kWord);
      return {};
    }
    words.push_back(element->text);
  }
  if (!words.empty() && !words.front().empty()) return words;
  refuse(problems, words.empty() ? value : *value.children.front(), keyword);
  return {};
}

ArmWant read_arm(Problems& problems, const JsonValue& value) {
  ArmWant arm{.name = value.key, .place = value.key_place()};
  check_name(problems, value);
  if (!check_type(problems, value, kArmEntry)) return arm;
  read_members<ArmWant>(problems, value, kArmTable, kArmFields, arm);
  return arm;
}

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "policies/select_reader.h"

#include <algorithm>
#include <set>
#include <string>

#include "controller/base/text.h"
#include "policies/quote.h"
#include "policies/value_reader.h"

namespace bulkhead {
namespace {

constexpr std::size_t kLongestUnit = 255;    // systemd's UNIT_NAME_MAX
constexpr std::size_t kLongestCommand = 15;  // the kernel's TASK_COMM_LEN without its ending NUL
constexpr std::size_t kLongestPath = 4095;   // PATH_MAX likewise
constexpr unsigned kLargestPid = 1U << 22;   // PID_MAX_LIMIT

bool read_unit(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, Select& select) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:-_.\\@";
  const std::string& unit = value.text;
  if (unit.empty() || unit.size() > kLongestUnit || unit.find_first_not_of(kLetters) != std::string::npos) {
    refuse(problems, value, keyword);
    return false;
  }
  constexpr std::string_view kSuffixes[] = {".service", ".scope", ".slice"};
  const bool known = std::ranges::any_of(kSuffixes, [&](std::string_view suffix) {
    return unit.ends_with(suffix) && unit.size() > suffix.size();
  });
  if (!known) problems.add(value.place(), Problem::unit_suffix, {found_text(value), shortened(unit)});
  select.text = unit;
  return known;
}

bool read_path(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, Select& select) {
  if (value.text.empty() || value.text.size() > kLongestPath || value.text.ends_with('/')) {
    refuse(problems, value, keyword);
    return false;
  }
  if (!value.text.starts_with('/')) {
    problems.add(value.place(), Problem::relative_path, {found_text(value)});
    return false;
  }
  select.text = value.text;
  return true;
}

bool is_cgroup_path(std::string_view path) {
  if (!path.starts_with('/') || path.ends_with('/') || path.size() > kLongestPath) return false;
  const auto parts = split(path.substr(1), '/');
  return std::ranges::none_of(
      parts, [](std::string_view part) { return part.empty() || part == "." || part == ".."; });
}

bool read_cgroup(DiagnosticList& problems, const JsonValue& value, const Keyword&, Select& select) {
  if (value.text == "/") {
    problems.add(value.place(), Problem::root_cgroup);
    return false;
  }
  if (!is_cgroup_path(value.text)) {
    problems.add(value.place(), Problem::cgroup_path, {found_text(value)});
    return false;
  }
  select.text = value.text;
  return true;
}

bool read_command(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, Select& select) {
  if (value.text.empty()) {
    refuse(problems, value, keyword);
    return false;
  }
  if (value.text.size() > kLongestCommand) {
    std::size_t end = kLongestCommand;
    while (end > 0 && (static_cast<unsigned char>(value.text[end]) & 0xc0) == 0x80) --end;
    problems.add(value.place(), Problem::long_command,
                 {found_text(value), in_quotes(value.text.substr(0, end))});
    return false;
  }
  select.text = value.text;
  return true;
}

bool read_pids(DiagnosticList& problems, const JsonValue& value, const Keyword&, Select& select) {
  static constexpr Keyword kPid{"", Accepts::number, Presence::optional, "a pid", "1234", ""};
  std::set<unsigned> seen;
  bool good = true;
  for (const JsonValue* element : value.children) {
    const auto pid = read_number(problems, *element, kPid, 1, kLargestPid);
    const bool fresh = pid && seen.insert(*pid).second;
    if (pid && !fresh) problems.add(element->place(), Problem::same_pid, {element->text});
    if (fresh) select.pids.push_back(*pid);
    good = good && fresh;
  }
  return good;
}

struct Selector {
  std::string_view name;
  SelectKind kind;
  bool (*read)(DiagnosticList&, const JsonValue&, const Keyword&, Select&);
};
constexpr Selector kSelectors[] = {
    {"unit", SelectKind::unit, read_unit}, {"cgroup", SelectKind::cgroup, read_cgroup},
    {"exe", SelectKind::exe, read_path},   {"comm", SelectKind::comm, read_command},
    {"pids", SelectKind::pids, read_pids}, {"pidfile", SelectKind::pidfile, read_path},
};

}  // namespace

void read_select(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                 std::optional<Select>& select) {
  Select reading{.place = value.place()};
  if (value.type == JsonType::string) {
    constexpr Word<SelectKind> kWords[] = {{"others", SelectKind::others}};
    if (read_word(problems, value, keyword, kWords)) select = std::move(reading);
    return;
  }
  const JsonValue* chosen = exactly_one(problems, value, kSelectTable.keywords, "a selector", keyword);
  for (const JsonValue* member : value.children) {
    const Keyword* known = check_member(problems, *member, kSelectTable);
    if (known == nullptr) continue;
    const auto* selector = std::ranges::find(kSelectors, known->name, &Selector::name);
    reading.kind = selector->kind;
    if (selector->read(problems, *member, *known, reading) && member == chosen) select = reading;
  }
}

}  // namespace bulkhead

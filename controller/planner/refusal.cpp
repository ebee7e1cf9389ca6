// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/refusal.h"

#include <algorithm>
#include <utility>

#include "controller/base/text.h"

namespace bulkhead {
namespace {

constexpr std::size_t kNamed = 8;  // entries of one list in a message

}  // namespace

void refuse(ErrorCode code, const Place& place, std::string message) {
  throw Error(ErrorDetail{.code = code,
                          .message = std::move(message),
                          .line = place.line,
                          .column = place.column,
                          .pointer = place.pointer});
}

std::string name_cpus(const CpuSet& cpus) {
  return name_ids("CPU", cpus);
}

std::string name_ids(std::string_view noun, const CpuSet& ids) {
  return std::string(noun) + (ids.size() == 1 ? " " : "s ") + ids.to_list();
}

std::string name_holders(const std::vector<CpuHolder>& holders) {
  std::vector<std::string> parts;
  for (const CpuHolder& holder : holders) parts.push_back(holder.name + " holds " + name_cpus(holder.cpus));
  return join(few_of(std::move(parts)), ", ");
}

std::string in_words(const std::vector<std::string>& names) {
  const std::vector<std::string> few = few_of(names);
  std::string words;
  for (std::size_t index = 0; index < few.size(); ++index) {
    if (index != 0) words += index + 1 == few.size() ? " and " : ", ";
    words += few[index];
  }
  return words;
}

std::vector<std::string> few_of(std::vector<std::string> parts) {
  if (parts.size() <= kNamed) return parts;
  const std::size_t more = parts.size() - (kNamed - 1);
  parts.resize(kNamed - 1);
  parts.push_back(std::to_string(more) + " more");
  return parts;
}

void add_note(std::vector<std::string>& notes, std::string note) {
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
}

}  // namespace bulkhead

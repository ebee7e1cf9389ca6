// SPDX-License-Identifier: Apache-2.0
#include "controller/resctrl/kernel_status.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include "controller/base/text.h"

namespace bulkhead {
namespace {

constexpr std::string_view kTaskLine = "Error while processing task ";

}  // namespace

std::string latest_status(std::string_view text) {
  const auto lines = split(trim(text), '\n');
  if (lines.empty() || (lines.size() == 1 && lines[0] == "ok")) return {};
  std::string last(lines.back());
  if (lines.size() > 1 && last.starts_with(kTaskLine))
    return std::string(lines[lines.size() - 2]) + "; " + last;
  return last;
}

std::optional<unsigned> task_stopped_at(std::string_view status) {
  const auto at = status.rfind(kTaskLine);
  if (at == std::string_view::npos) return std::nullopt;
  return parse_integer<unsigned>(status.substr(at + kTaskLine.size()));
}

bool leaves_status(int error_number) {
  constexpr std::array kWithWords{EINVAL, ENOSPC, EBUSY, ERANGE, EOVERFLOW, EPERM, ESRCH};
  return std::find(kWithWords.begin(), kWithWords.end(), error_number) != kWithWords.end();
}

}  // namespace bulkhead

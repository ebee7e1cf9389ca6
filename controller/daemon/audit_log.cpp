// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/audit_log.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/api/event_hub.h"
#include "controller/base/unique_fd.h"
#include "policies/quote.h"

namespace bulkhead {
namespace {

constexpr mode_t kLogMode = 0640;
constexpr mode_t kLogDirectoryMode = 0755;

nlohmann::ordered_json text_or_nothing(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

nlohmann::ordered_json number_or_nothing(std::optional<unsigned> number) {
  return number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json();
}

std::string line_of(const AuditEntry& entry) {
  const nlohmann::ordered_json json{
      {"at", utc_with_milliseconds()},
      {"action", entry.action},
      {"uid", number_or_nothing(entry.by.uid)},
      {"pid", number_or_nothing(entry.by.pid != 0 ? std::optional(entry.by.pid) : std::nullopt)},
      {"unit", text_or_nothing(entry.by.unit)},
      {"policy", text_or_nothing(entry.policy)},
      {"from", entry.from},
      {"to", entry.to},
      {"steps", entry.steps},
      {"refused", text_or_nothing(entry.refused)}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool append_line(const std::string& path, const std::string& line) {
  const auto slash = path.rfind('/');
  if (slash != std::string::npos && slash > 0) ::mkdir(path.substr(0, slash).c_str(), kLogDirectoryMode);
  const UniqueFd file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, kLogMode));
  const std::string text = line + '\n';
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace

void log_line(int priority, const std::string& text) {
  static const bool journal = std::getenv("JOURNAL_STREAM") != nullptr;
  const std::string line =
      (journal ? '<' + std::to_string(priority) + '>' : std::string("bulkheadd: ")) + printable(text) + '\n';
  static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));  // nobody is left to be told
}

void AuditLog::write(const AuditEntry& entry) {
  const std::string line = line_of(entry);
  log_line(kLogNotice, "audit " + line);
  if (path_.empty()) return;
  const bool written = append_line(path_, line);
  const std::string trouble = written ? "" : "cannot write " + path_ + ": " + std::strerror(errno);
  if (trouble != trouble_ && !written) log_line(kLogWarning, trouble);
  trouble_ = trouble;
}

}  // namespace bulkhead

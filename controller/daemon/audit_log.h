// SPDX-License-Identifier: Apache-2.0
// Who changed what, a JSON line each: in a file, and on standard error, which systemd keeps in its journal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace bulkhead {

struct Actor {
  std::optional<unsigned> uid;  // nobody's: the daemon itself
  unsigned pid = 0;
  std::string unit;  // of systemd; empty if in none
};

struct AuditEntry {
  std::string action;  // "policy.apply", "repair"
  Actor by;
  std::string policy;
  std::uint64_t from = 0, to = 0;  // generations; equal where it stays
  std::size_t steps = 0;
  std::string refused;  // why nothing came of it; empty if something did
};

class AuditLog {
 public:
  // The file and its directory are made when the first line is written, mode 0640.
  explicit AuditLog(std::string path) : path_(std::move(path)) {}

  // Never throws: what is done is done. A file that cannot be written is told on standard error, once.
  void write(const AuditEntry& entry);

  // Why the latest line is not in the file; empty if it is.
  const std::string& trouble() const { return trouble_; }

  // Another program may have moved the file away (logrotate): each line opens it anew.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::string trouble_;
};

// One line for the journal: "<5>..." where systemd reads our standard error, so that it knows the priority.
void log_line(int priority, const std::string& text);

inline constexpr int kLogError = 3, kLogWarning = 4, kLogNotice = 5, kLogInfo = 6;  // of syslog(3)

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// Files of cases: what a kernel answers to operations. README.md has the language.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/conformance/case_text.h"

namespace bulkhead::conformance {

struct KernelVersion {
  unsigned major = 0;
  unsigned minor = 0;
  auto operator<=>(const KernelVersion&) const = default;
};

// "6.12", or a whole release: "6.12.95-cloud". Throws Error(invalid).
KernelVersion parse_version(std::string_view text);

struct KernelRange {
  KernelVersion first;                  // included
  std::optional<KernelVersion> beyond;  // not included
  bool contains(const KernelVersion& version) const {
    return version >= first && (!beyond || version < *beyond);
  }
};

enum class Match { none, equal, contains, lacks };

struct Expectation {
  int error = 0;
  std::optional<std::string> status;  // of info/last_cmd_status
  Match match = Match::none;          // of what was read
  std::string text;
};

struct Operation {
  std::string verb;
  std::vector<std::string> arguments;  // $NAME stands for a task's id
  bool as_nobody = false;
  Expectation expected;
  std::size_t line = 0;
  std::string source;  // the line as written
};

struct Case {
  std::string name;
  KernelRange kernels;
  std::string derived;  // the source, where no kernel of the lab has shown it
  std::vector<Operation> operations;
  std::size_t line = 0;
};

struct CaseFile {
  std::string name;
  std::vector<std::string> hosts;
  std::vector<Operation> setup;  // before each case
  std::vector<Case> cases;
};

// Throws Error(invalid) with the file and line.
CaseFile parse_cases(std::string_view text, const std::string& name);
// All "*.cases" below the paths, by name.
std::vector<CaseFile> read_cases(const std::vector<std::string>& paths);

std::string errno_name(int error);                   // "ok" for 0
std::optional<int> errno_of(std::string_view name);  // likewise
std::string describe(const Expectation& expected);   // `ENOSPC "Out of CLOSIDs"`

}  // namespace bulkhead::conformance

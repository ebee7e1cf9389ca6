// SPDX-License-Identifier: Apache-2.0
// Runs cases on a host.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "tests/conformance/case_file.h"
#include "tests/conformance/host.h"

namespace bulkhead::conformance {

enum class Verdict { passed, failed, skipped };

struct Report {
  Verdict verdict = Verdict::passed;
  std::string text;  // one line: what was expected, what came; or why it was skipped
};

class Runner {
 public:
  explicit Runner(Host& host) : host_(host) {}

  // On a clean host. Throws Error(invalid) for a case that makes no sense.
  Report run(const CaseFile& file, const Case& each);
  // One operation, whatever was expected of it; `got` has what came of it.
  Outcome act(const Operation& operation);
  void forget_names() { names_.clear(); }

 private:
  // What is read after the kernel has put something off may come true a little later.
  std::optional<std::string> play(const CaseFile& file, const Operation& operation);
  std::optional<std::string> play_once(const CaseFile& file, const Operation& operation);
  std::string replaced(std::string text) const;

  Host& host_;
  std::map<std::string, std::string> names_;  // of tasks -> id
  std::string last_case_;
  bool put_off_ = false;  // and nothing was changed since
};

// Throws Error(invalid) if an operation's verb does not exist or its arguments are not as many as it takes.
void check_operations(const CaseFile& file);

}  // namespace bulkhead::conformance

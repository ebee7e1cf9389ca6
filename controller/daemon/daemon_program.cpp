// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/daemon_program.h"

#include <cstdio>

#include "controller/base/error.h"
#include "controller/daemon/audit_log.h"
#include "controller/daemon/daemon.h"

namespace bulkhead {
namespace {

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
}

int run_words_of_daemon(const std::vector<std::string>& words) {
  const DaemonOptions options = parse_daemon_options(words);
  if (options.help) {
    print(daemon_help());
  } else if (options.version) {
    print("bulkheadd " BULKHEAD_VERSION "\n");
  } else if (options.check) {
    const std::string problems = problems_of_configuration(options);
    print(problems);
    return problems.empty() ? 0 : exit_status(ErrorCode::invalid);
  } else {
    run_daemon(options);
  }
  return 0;
}

}  // namespace

int run_daemon_program(const std::vector<std::string>& words) {
  try {
    return run_words_of_daemon(words);
  } catch (const Error& error) {
    log_line(kLogError, error.what());
    return exit_status(error.code());
  } catch (const std::exception& error) {
    log_line(kLogError, error.what());
    return exit_status(ErrorCode::internal);
  }
}

}  // namespace bulkhead

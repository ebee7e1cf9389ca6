// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/program.h"

#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>
#include <string_view>

#include "controller/base/error.h"
#include "controller/cli/command_line.h"
#include "controller/cli/error_json.h"
#include "controller/cli/help.h"
#include "controller/cli/json_text.h"

namespace bulkhead {
namespace {

int run_words(const std::vector<std::string>& words, Console& console) {
  if (words.empty()) {
    console.diagnostics(program_help());
    return exit_status(ErrorCode::usage);
  }
  if (words.front() == "--help") {
    console.out += program_help();
    return 0;
  }
  if (words.front() == "--version") {
    console.out += "bulkhead " BULKHEAD_VERSION "\n";
    return 0;
  }
  const Verb& verb = require_verb(words.front());
  Call call = parse_call(verb, {words.begin() + 1, words.end()}, console);
  if (call.options.help) {
    console.out += verb_help(verb);
    return 0;
  }
  return verb.run(call);
}

int report(const Error& error, bool json, Console& console) {
  if (json) {
    console.out = json_text({{"error", error_json(error.detail())}});
  } else {
    console.notice(error.what());
    if (error.code() == ErrorCode::permission) console.notice("more rights are needed: run it as root");
  }
  return exit_status(error.code());
}

int finish(int status, Console& console) {
  try {
    console.flush();
    return status;
  } catch (const Error& error) {
    // A reader that has seen enough and went away wants to hear nothing more.
    if (error.detail().error_number != EPIPE) console.notice(error.what());
    return exit_status(ErrorCode::refused);
  }
}

}  // namespace

int run_program(const std::vector<std::string>& words) {
  // A reader of our output that goes away must not end a transaction half-way.
  std::signal(SIGPIPE, SIG_IGN);
  Console console;
  int status = 0;
  try {
    status = run_words(words, console);
  } catch (const Error& error) {
    status = report(error, wants_json(words), console);
  } catch (const std::exception& error) {
    status = report(Error(ErrorCode::internal, error.what()), wants_json(words), console);
  }
  return finish(status, console);
}

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/program.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unistd.h>

#include "controller/api/error_json.h"
#include "controller/base/error.h"
#include "controller/cli/command_line.h"
#include "controller/cli/help.h"
#include "controller/cli/json_text.h"
#include "controller/cli/terminal.h"

namespace bulkhead {
namespace {

int run_words(const std::vector<std::string>& given, Console& console) {
  const std::vector<std::string> words = verb_first(given);
  const bool json = wants_json(words);
  if (words.empty()) {
    console.diagnostics(program_help(columns_of(STDERR_FILENO)));
    return exit_status(ErrorCode::usage);
  }
  if (words.front() == "--help") {
    console.out += json ? help_json(verbs()) : program_help(columns_of(STDOUT_FILENO));
    return 0;
  }
  if (words.front() == "--version") {
    console.out += json ? json_text({{"version", BULKHEAD_VERSION}}) : "bulkhead " BULKHEAD_VERSION "\n";
    return 0;
  }
  const Verb& verb = require_verb(words.front());
  Call call = parse_call(verb, {words.begin() + 1, words.end()}, console);
  if (call.options.help) {
    console.out += json ? help_json({&verb, 1}) : verb_help(verb, columns_of(STDOUT_FILENO));
    return 0;
  }
  return verb.run(call);
}

int report(const Error& error, bool json, Console& console) {
  const int status = exit_status(error.code());
  if (json) {
    try {
      const nlohmann::ordered_json document{{"error", error_json(error.detail())}};
      console.out = console.documents_are_lines ? json_line(document) : json_text(document);
      console.flush();
      return status;
    } catch (const Error& unwritten) {
      // Then the error is told as text, unless it is the same.
      if (std::string_view(unwritten.what()) != error.what()) console.notice(unwritten.what());
    }
  }
  console.notice(error.what());
  const std::string_view remedy = remedy_for(error.code());
  if (!remedy.empty()) console.notice(remedy);
  return status;
}

// Where a standard stream is closed, the next file that is opened would get its number, and our output with
// it. What takes the number instead refuses to be used, as the closed one would.
void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is this one.
    static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

}  // namespace

int run_program(const std::vector<std::string>& words) {
  occupy_standard_streams();
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
  return console.finish(status);
}

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "controller/cli/command_line.h"
#include "controller/cli/help.h"
#include "controller/cli/terminal.h"

namespace bulkhead {

int run_help(Call& call) {
  const Verb* asked = call.arguments.empty() ? nullptr : &require_verb(call.arguments.front());
  const std::size_t width = columns_of(STDOUT_FILENO);
  if (call.options.json) {
    call.console.out += help_json(asked ? std::span(asked, 1) : verbs());
  } else {
    call.console.out += asked ? verb_help(*asked, width) : program_help(width);
  }
  return 0;
}

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/command_line.h"
#include "controller/cli/help.h"

namespace bulkhead {

int run_help(Call& call) {
  if (call.options.json) {
    call.console.out += help_json();
  } else if (call.arguments.empty()) {
    call.console.out += program_help();
  } else {
    call.console.out += verb_help(require_verb(call.arguments.front()));
  }
  return 0;
}

}  // namespace bulkhead

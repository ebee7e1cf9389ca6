// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "controller/base/text.h"
#include "controller/cli/json_text.h"
#include "controller/cli/live_host.h"
#include "controller/cli/steps_text.h"
#include "controller/cli/transaction_run.h"

namespace bulkhead {

int run_reset(Call& call) {
  require_consent_possible(call);
  LiveHost host(call.options);
  host.finish_interrupted(call.console);
  const std::vector<Step> steps = host.engine().propose_reset().steps;
  if (!call.options.json && !steps.empty()) {
    call.console.out +=
        paint(call.style(), Paint::bold, "changes") + '\n' + steps_text(steps, call.style()) + '\n';
    if (!consents(call, "Reset?")) {
      call.console.notice("nothing was changed");
      return 0;
    }
    show_before_change(call);
  }
  call.console.hold_signals();
  const Outcome outcome =
      run_transaction("resetting", [&](const Progress& progress) { return host.engine().reset(progress); });
  call.console.happened = "the host is as before the first apply";
  if (call.options.json) {
    call.console.out += json_text({{"changed", !outcome.steps.empty()},
                                   {"steps", steps_json(outcome.steps)},
                                   {"notes", outcome.notes}});
  } else if (outcome.steps.empty()) {
    call.console.out += "already as before the first apply: nothing was written\n";
  } else {
    call.console.out += "as before the first apply: " + counted(outcome.steps.size(), "step") + '\n' +
                        notes_text(outcome.notes, call.style());
  }
  return 0;
}

}  // namespace bulkhead

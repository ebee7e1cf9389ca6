// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/transaction_run.h"

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/cli/held_signals.h"
#include "controller/cli/progress_line.h"
#include "controller/experiment/experiment_record.h"
#include "controller/experiment/live_experiment_host.h"

namespace bulkhead {

LiveHostOptions live_host_options(const Options& options) {
  return {.runtime_dir = options.runtime_dir,
          .actuator = options.actuator,
          .ccd_bandwidth = options.ccd_bandwidth};
}

void finish_interrupted(LiveHost& host, const Console& console, bool only_looks) {
  const HeldSignals held;
  try {
    const std::optional<Recovery> recovery =
        only_looks ? host.engine().recover(0) : host.engine().recover(Engine::kLockPatienceMs);
    if (recovery) {
      console.notice("the interrupted " + recovery->action + " was undone (" +
                     counted(recovery->steps, "step") + ')');
      for (const std::string& note : recovery->notes) console.notice(note);
    }
    LiveExperimentHost experiments(host);
    if (const auto ended = end_interrupted_experiment(host.store(), experiments)) {
      console.notice("the interrupted experiment " + *ended +
                     " was ended: what was in force before it is in force again");
    }
    if (!only_looks) ExperimentRecord::require_none(host.store());
  } catch (const Error& error) {
    if (!only_looks || error.code() != ErrorCode::conflict) throw;
    console.notice("somebody is changing this host right now, so this is how it looks in between: " +
                   std::string(error.what()));
  }
}

void require_consent_possible(const Call& call) {
  if (call.options.yes) return;
  const std::string verb(call.verb.name);
  if (call.options.json) throw Error(ErrorCode::usage, verb + " --json does not ask: pass --yes as well");
  if (!call.console.can_ask()) {
    throw Error(ErrorCode::usage,
                verb + " asks before it changes anything, but standard input is no terminal: pass --yes");
  }
}

void show_before_change(Call& call) {
  try {
    call.console.flush();
  } catch (const Error& error) {
    ErrorDetail detail = error.detail();
    detail.message = "nothing was changed: " + detail.message;
    throw Error(std::move(detail));
  }
}

bool consents(Call& call, const std::string& question) {
  if (call.options.yes) return true;
  show_before_change(call);
  return call.console.ask(question);
}

Outcome run_transaction(const std::string& doing, const std::function<Outcome(const Progress&)>& act) {
  ProgressLine line(doing);
  return act([&](std::size_t number, std::size_t known, const Step& step) {
    HeldSignals::check();
    line.show(doing + ": step " + std::to_string(number) + " of " + std::to_string(known) + ", " +
              describe(step));
  });
}

std::string notes_text(const std::vector<std::string>& notes, const Style& style) {
  std::string text;
  for (const std::string& note : notes) text += "note: " + wrapped(note, style.width - 6, "      ") + '\n';
  return text;
}

}  // namespace bulkhead

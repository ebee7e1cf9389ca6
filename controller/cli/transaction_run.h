// SPDX-License-Identifier: Apache-2.0
// What apply and reset share: asking, and running a transaction that signals do not tear apart.
#pragma once

#include <functional>
#include <string>

#include "controller/cli/verbs.h"
#include "controller/engine/live_host.h"

namespace bulkhead {

// The host as this run's options say.
LiveHostOptions live_host_options(const Options& options);

// Finishes the undo of an interrupted transaction, and says so. While somebody else is at work, verbs that
// only look say that and go on.
void finish_interrupted(LiveHost& host, const Console& console, bool only_looks = false);

// Throws Error(usage) where nobody can be asked and --yes is not given: before anything is looked at.
void require_consent_possible(const Call& call);

// Writes what is to be seen before anything is changed. An error says that nothing was.
void show_before_change(Call& call);

// Whether to go on. Whatever was printed so far is shown first.
bool consents(Call& call, const std::string& question);

// Runs `act`, telling its progress; a signal that asks the program to end makes the next step fail.
Outcome run_transaction(const std::string& doing, const std::function<Outcome(const Progress&)>& act);

// What came out otherwise than written, a line each; empty if nothing did.
std::string notes_text(const std::vector<std::string>& notes, const Style& style);

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/transaction.h"

#include <utility>

#include "controller/base/text.h"

namespace bulkhead {

Transaction::Transaction(Journal& journal, Actuators actuators, Progress progress)
    : journal_(journal), actuators_(actuators), progress_(std::move(progress)) {}

void Transaction::run(const std::string& id, const std::string& action, const std::vector<Step>& steps) {
  steps_ = steps;
  journal_.begin(id, action, steps_, actuators_.groups_by);
  for (const Step& step : steps) act(step);
}

void Transaction::run_more(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    journal_.add(step);
    steps_.push_back(step);
    act(step);
  }
}

void Transaction::act(const Step& step) {
  ++done_;
  try {
    if (progress_) progress_(done_, steps_.size(), step);
    actuators_.of(step.kind).apply(step);
  } catch (Error& error) {
    error.add_context("doing step " + std::to_string(done_) + " of " + std::to_string(steps_.size()) + " (" +
                      describe(step) + ')');
    fail(std::move(error));
  }
}

std::vector<std::string> Transaction::commit() {
  try {
    journal_.end();
    return {};
  } catch (const Error& error) {
    return {"all is done, but the journal is still there, for the next bulkhead to remove: " +
            std::string(error.what())};
  }
}

void Transaction::fail(Error error) {
  undone_ = true;
  const std::vector<UndoFailure> failures = undo_steps(steps_, actuators_);
  if (failures.empty()) {
    journal_.end();
    const std::vector<std::string> notes = actuators_.take_notes();
    throw error.add_context("applying; everything was undone, the host is as before" +
                            (notes.empty() ? "" : "; " + join(notes, "; ")));
  }
  for (const UndoFailure& failure : failures) {
    error.add_context("undoing (" + describe(failure.step) + "), which failed too: " + failure.reason);
  }
  throw error.add_context("applying; the journal is kept, and the next bulkhead goes on with the undo");
}

std::vector<std::string> Actuators::take_notes() {
  std::vector<std::string> notes = resctrl.take_notes();
  for (std::string& note : cgroups.take_notes()) notes.push_back(std::move(note));
  return notes;
}

std::vector<UndoFailure> undo_steps(std::span<const Step> steps, Actuators actuators) {
  std::vector<UndoFailure> failures;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    try {
      actuators.of(step->kind).undo(*step);
    } catch (const Error& error) {
      failures.push_back({*step, error.what()});
    }
  }
  actuators.resctrl.settle();
  actuators.cgroups.settle();
  return failures;
}

}  // namespace bulkhead

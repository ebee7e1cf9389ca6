// SPDX-License-Identifier: Apache-2.0
// Steps as one: all of them are done, or none is.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controller/base/error.h"
#include "controller/engine/journal.h"
#include "controller/planner/actuator.h"

namespace bulkhead {

struct Actuators {
  Actuator& resctrl;
  Actuator& cgroups;
  std::string_view groups_by = "resctrl";  // which actuator the first is, for the journal

  Actuator& of(StepKind kind) { return is_resctrl(kind) ? resctrl : cgroups; }
  std::vector<std::string> take_notes();  // of both
};

// Told before each step: its number from 1, how many are known, and the step. If it throws an Error, that is
// as if the step had failed.
using Progress = std::function<void(std::size_t, std::size_t, const Step&)>;

class Transaction {
 public:
  Transaction(Journal& journal, Actuators actuators, Progress progress = {});

  // Journals all steps, then does them in order. If one fails everything is undone and its error thrown, with
  // what the undo did as context. If even the undo fails the journal stays, and the next start goes on with
  // it.
  void run(const std::string& id, const std::string& action, const std::vector<Step>& steps);

  // Further steps of the same transaction, journalled as they come.
  void run_more(const std::vector<Step>& steps);

  // Runs `act`, a part of the transaction; if it throws, all is undone as if a step had failed.
  template <class Act>
  void guard(const std::string& doing, Act&& act) {
    try {
      act();
    } catch (Error& error) {
      if (undone_) throw;  // it was a step that failed
      error.add_context(doing);
      fail(std::move(error));
    }
  }

  // Everything holds and is remembered: the journal can go. Where it cannot be removed the transaction is
  // complete all the same, as the next start will find; the result says so, else it is empty.
  std::vector<std::string> commit();

  const std::vector<Step>& steps() const { return steps_; }

 private:
  void act(const Step& step);
  [[noreturn]] void fail(Error error);

  Journal& journal_;
  Actuators actuators_;
  Progress progress_;
  std::vector<Step> steps_;
  std::size_t done_ = 0;
  bool undone_ = false;
};

// Undoes steps in reverse, whether or not they were done, going on after a failure. What could not be undone.
struct UndoFailure {
  Step step;
  std::string reason;
};
std::vector<UndoFailure> undo_steps(std::span<const Step> steps, Actuators actuators);

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// How a reconciler mends what differs, at each thing's own pace.
#include <algorithm>

#include "controller/engine/finding_kinds.h"
#include "controller/engine/reconciler.h"

namespace bulkhead {

// What else differs stays, threads that somebody has moved among it.
void Reconciler::follow_threads(Engine& engine, Look& look) {
  const std::set<unsigned> strays = strays_of(look.found);
  const std::set<unsigned> moved = moved_away(strays);
  if (strays == moved) return;
  try {
    Things theirs;
    for (const unsigned thread : moved) theirs.insert(group_of_thread(thread));
    look.add_followed(engine.repair(Repair::threads, theirs).steps);
    look.found = engine.verify();
  } catch (const Error& error) {
    note_failure(look, error);
  }
}

// New threads, which nobody has moved.
Things Reconciler::to_be_followed(const Look& look) const {
  const std::set<unsigned> strays = strays_of(look.found);
  const std::set<unsigned> moved = moved_away(strays);
  Things things;
  for (const unsigned thread : strays) {
    if (!moved.contains(thread)) things.insert(group_of_thread(thread));
  }
  return things;
}

void Reconciler::pause(Look& look, Backoff::Time now, const Things& held) {
  for (const std::string& thing : pace_.untold(held)) {
    look.paused[thing] = std::chrono::ceil<std::chrono::seconds>(pace_.next(thing, now) - now);
  }
}

void Reconciler::mend(Engine& engine, Look& look, Backoff::Time now) {
  if (on_drift_ == OnDrift::report) return follow_threads(engine, look);
  const Things differing = things_of(look.found.steps);
  const Things held = pace_.held(differing, now);
  pause(look, now, held);
  Things due = differing;
  for (const Things& others : {held, to_be_followed(look)}) {
    for (const std::string& thing : others) due.erase(thing);
  }
  if (!due.empty()) {
    mend(engine, look, now, held);
    pace_.tried(due, now);
  } else if (!differing.empty()) {
    follow_threads(engine, look);
  } else {  // nothing that is ours to write
    look.left = left_.tell(differences(look.found));
    return follow_again(look, now);
  }
  const Things left = things_of(look.found.steps);
  if (!left.empty()) look.again = pace_.next(left, now);
}

void Reconciler::mend(Engine& engine, Look& look, Backoff::Time now, const Things& held) {
  try {
    const bool whole = repair_all(engine, look, held);
    const ToldFindings before = told_;
    look.found = engine.verify();
    // What somebody changed meanwhile is told before the next look mends it.
    for (Finding& finding : told_.tell(drift_of(look, now), of_hotplug(look, now))) {
      look.drift.push_back(std::move(finding));
    }
    if (!whole || !held.empty()) return;
    std::vector<Finding> left = differences(look.found);
    std::erase_if(left, [&](const Finding& finding) { return !before.contains(finding); });
    look.left = left_.tell(left);
  } catch (const Error& error) {
    note_failure(look, error);
  }
}

// Where the whole cannot be mended, what can be is: cgroups need not wait for resctrl, nor it for them. False
// where that was so.
bool Reconciler::repair_all(Engine& engine, Look& look, const Things& held) {
  try {
    look.repaired = engine.repair(Repair::everything, held).steps;
    if (held.empty()) last_failure_.clear();
    return true;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::conflict) throw;  // somebody else is at work
    note_failure(look, error);
  }
  for (const Repair part : {Repair::groups, Repair::cpusets}) {
    try {
      for (Step& step : engine.repair(part, held).steps) look.repaired.push_back(std::move(step));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::conflict) throw;
      // Why is told already: the whole failed by it.
    }
  }
  return false;
}

}  // namespace bulkhead

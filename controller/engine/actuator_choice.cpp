// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/actuator_choice.h"

#include "controller/base/error.h"
#include "controller/engine/journal.h"
#include "controller/engine/state.h"
#include "controller/monitor/counter_files.h"
#include "controller/pqos/pqos_counters.h"
#include "controller/pqos/pqos_msr_actuator.h"
#include "controller/pqos/pqos_os_actuator.h"
#include "controller/resctrl/resctrl_actuator.h"

namespace bulkhead {
namespace {

constexpr std::string_view kUsual = "resctrl";

struct InForce {
  std::string actuator;  // empty: nothing is
  std::string what;      // "the policy in force"
};

InForce find_in_force(Store& store) {
  const State state = read_state(store);
  const std::optional<JournalContent> journal = Journal(store).read();
  if (journal && journal->transaction != state.transaction) {
    return {journal->actuator, "an interrupted " + journal->action};
  }
  if (state.policy_text.empty()) return {};
  return {state.actuator, "the policy in force"};
}

// A memory that is damaged, or for root only, is told of where it is needed.
InForce in_force(Store& store) {
  try {
    return find_in_force(store);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::permission && error.code() != ErrorCode::refused) throw;
    return {};
  }
}

}  // namespace

std::string choose_actuator(const std::string& asked, Store& store) {
  const InForce now = in_force(store);
  if (asked == "auto") return now.actuator.empty() ? std::string(kUsual) : now.actuator;
  if (now.actuator.empty() || now.actuator == asked) return asked;
  throw Error(ErrorCode::conflict, now.what + " was written through " + now.actuator +
                                       ", and both at once do not go: `bulkhead reset` first, then " + asked);
}

std::unique_ptr<GroupActuator> make_group_actuator(const std::string& name, FileSystem& files,
                                                   const Machine& machine) {
  if (name == "pqos-msr") return std::make_unique<PqosMsrActuator>(files, machine);
  if (name == "pqos-os") return std::make_unique<PqosOsActuator>(files, machine);
  return std::make_unique<ResctrlActuator>(files);
}

// Also what libpqos writes to resctrl is counted there: the files tell no data from 0, libpqos does not.
std::unique_ptr<CounterSource> make_counter_source(GroupActuator& groups, FileSystem& files,
                                                   const Machine& machine, const std::string& folder) {
  if (groups.name() == "pqos-msr") {
    return groups.usable() ? std::make_unique<PqosCounters>(machine, folder) : nullptr;
  }
  const ResctrlPresence& presence = groups.presence();
  if (presence.state != ResctrlState::mounted) return nullptr;
  return std::make_unique<CounterFiles>(files, presence.mount_point);
}

}  // namespace bulkhead

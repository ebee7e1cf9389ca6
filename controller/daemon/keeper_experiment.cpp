// SPDX-License-Identifier: Apache-2.0
// What an experiment asks of the keeper, and what the keeper does otherwise while there is one.
#include <nlohmann/json.hpp>

#include "controller/daemon/keeper.h"
#include "controller/experiment/experiment_record.h"

namespace bulkhead {

LiveExperimentHost& Keeper::experiment_host() {
  notice_host();
  if (!experiment_host_) experiment_host_ = std::make_unique<LiveExperimentHost>(*host_);
  return *experiment_host_;
}

void Keeper::put_arm_in_force(const PolicySource& policy, const Actor& by) {
  const std::uint64_t before = known_.generation;
  const Outcome outcome =
      change_for_experiment("experiment.arm", by, [&] { return experiment_host().enforce(policy); });
  tell_in_force(outcome, before, policy.file);
}

void Keeper::bring_back(const StateBefore& before, const Actor& by) {
  const std::uint64_t generation = known_.generation;
  const Outcome outcome =
      change_for_experiment("experiment.restore", by, [&] { return experiment_host().bring_back(before); });
  tell_in_force(outcome, generation, before.policy.file);
}

void Keeper::tell_in_force(const Outcome& outcome, std::uint64_t generation_before, const std::string& file) {
  if (outcome.generation == generation_before) return;
  if (!outcome.policy.empty()) return tell_applied(outcome.policy, outcome.generation, file);
  listener_.tell(EventKind::policy_reset, {{"generation", outcome.generation}});
}

void Keeper::note_experiment_trouble(const std::optional<Error>& trouble) {
  if (!troubles_.note(Trouble::experiment, trouble ? trouble->what() : "")) return;
  if (trouble) report(*trouble, "what was in force before the experiment does not return: ");
  status_.clear();
  publish();
}

bool Keeper::is_held_by_experiment() const {
  return host_ != nullptr && ExperimentRecord::is_there(host_->store());
}

// An experiment's record goes with a boot. Then the policy from before is what is to be in force.
ActivePolicy Keeper::to_be_remembered(const State& state) const {
  if (!is_held_by_experiment()) return active_policy_of(state, boot_);
  ActivePolicy active = remembered_;
  active.generation = state.generation;
  if (active.boot.empty()) active.boot = boot_;
  return active;
}

void Keeper::add_trouble(Json& status) const {
  const std::string& trouble = troubles_.worst();
  if (!trouble.empty()) status["trouble"] = trouble;
}

}  // namespace bulkhead

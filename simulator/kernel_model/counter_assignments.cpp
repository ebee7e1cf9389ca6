// SPDX-License-Identifier: Apache-2.0
#include "simulator/kernel_model/counter_assignments.h"

namespace bulkhead::sim {

void CounterAssignments::enable(bool enabled) {
  if (enabled == enabled_) return;
  enabled_ = enabled;
  if (enabled) on_mkdir_ = true;
  taken_.clear();
}

bool CounterAssignments::assigned(unsigned domain, unsigned rmid, const std::string& event) const {
  const auto found = taken_.find(domain);
  return found != taken_.end() && found->second.contains({rmid, event});
}

bool CounterAssignments::assign(unsigned domain, unsigned rmid, const std::string& event) {
  if (assigned(domain, rmid, event)) return true;
  if (available(domain) == 0) return false;
  taken_[domain].insert({rmid, event});
  return true;
}

void CounterAssignments::unassign(unsigned domain, unsigned rmid, const std::string& event) {
  taken_[domain].erase({rmid, event});
}

void CounterAssignments::unassign_all(unsigned rmid) {
  for (auto& [domain, owners] : taken_) {
    std::erase_if(owners, [rmid](const Owner& owner) { return owner.rmid == rmid; });
  }
}

unsigned CounterAssignments::available(unsigned domain) const {
  const auto found = taken_.find(domain);
  return counters_ - (found == taken_.end() ? 0 : static_cast<unsigned>(found->second.size()));
}

}  // namespace bulkhead::sim

// SPDX-License-Identifier: Apache-2.0
// The host as an experiment needs it: policies are put in force, services are counted, and how the host is
// can be told. Behind it stands an engine of this program's own, or the daemon's keeper.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controller/engine/outcomes.h"

namespace bulkhead {

// What was in force before the first arm.
struct StateBefore {
  PolicySource policy;                                    // without text: none
  std::map<std::string, std::vector<unsigned>> attached;  // processes given to services by hand
  bool operator==(const StateBefore& other) const {
    return policy.text == other.policy.text && policy.file == other.policy.file && attached == other.attached;
  }
};

// What only grows, and when it was read: to read hundreds of counters takes a while.
struct TimedCount {
  double value = 0;
  std::chrono::steady_clock::time_point at;
};

// What a service has used up, or holds. Missing parts have a reason in `why_none`.
struct ServiceUse {
  std::optional<TimedCount> total_bytes, local_bytes;  // moved since its group was made
  std::optional<double> occupancy;                     // bytes of L3
  std::optional<TimedCount> cpu_seconds;
  std::string why_none;
};

class ExperimentHost {
 public:
  virtual ~ExperimentHost() = default;

  virtual StateBefore in_force() = 0;
  // What a policy would become here, as `plan --json`; throws Error where this host cannot have it.
  virtual std::string plan(const PolicySource& policy) = 0;
  // Without text: the host without any policy. Throws Error; then the host is as before.
  virtual void put_in_force(const PolicySource& policy) = 0;
  virtual void restore(const StateBefore& before) = 0;
  // Of the policy in force.
  virtual ServiceUse use_of(const std::string& service) = 0;
  // What must stay the same for windows to be comparable, by name: "governor" is "performance".
  virtual std::map<std::string, std::string> facts() = 0;
};

}  // namespace bulkhead

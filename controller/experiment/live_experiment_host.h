// SPDX-License-Identifier: Apache-2.0
// This host, by an engine of this program's own.
#pragma once

#include <memory>

#include "cgroup/process_table.h"
#include "controller/engine/live_host.h"
#include "controller/experiment/experiment_host.h"
#include "controller/monitor/counter_source.h"

namespace bulkhead {

class LiveExperimentHost : public ExperimentHost {
 public:
  explicit LiveExperimentHost(LiveHost& host);  // which must outlive it

  StateBefore in_force() override;
  std::string plan(const PolicySource& policy) override;
  void put_in_force(const PolicySource& policy) override { enforce(policy); }
  void restore(const StateBefore& before) override { bring_back(before); }
  // The same, with what was done.
  Outcome enforce(const PolicySource& policy);
  Outcome bring_back(const StateBefore& before);
  ServiceUse use_of(const std::string& service) override;
  std::map<std::string, std::string> facts() override;

 private:
  void add_counters(const Verification& found, const std::string& service, ServiceUse& use);

  LiveHost& host_;
  ProcessTable processes_;
  std::unique_ptr<CounterSource> counters_;
};

}  // namespace bulkhead

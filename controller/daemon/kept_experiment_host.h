// SPDX-License-Identifier: Apache-2.0
// The host of an experiment in the daemon: each call is a job on the keeper's thread, waited for. Not to be
// used there.
#pragma once

#include <functional>

#include "controller/daemon/keeper_thread.h"
#include "controller/experiment/experiment_host.h"

namespace bulkhead {

class KeptExperimentHost : public ExperimentHost {
 public:
  // Changes are made in the name of `by`.
  KeptExperimentHost(KeeperThread& keeper, Actor by) : keeper_(keeper), by_(std::move(by)) {}

  StateBefore in_force() override;
  std::string plan(const PolicySource& policy) override;
  void put_in_force(const PolicySource& policy) override;
  void restore(const StateBefore& before) override;
  ServiceUse use_of(const std::string& service) override;
  std::map<std::string, std::string> facts() override;

 private:
  KeeperThread& keeper_;
  Actor by_;
};

// Throws what `work` throws.
void wait_for_keeper(KeeperThread& keeper, KeeperThread::Job kind, const std::function<void(Keeper&)>& work);

}  // namespace bulkhead

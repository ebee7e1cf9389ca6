// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/kept_experiment_host.h"

#include <future>

namespace bulkhead {
namespace {

template <class Result>
Result ask(KeeperThread& keeper, const std::function<Result(LiveExperimentHost&)>& question) {
  std::optional<Result> answer;
  wait_for_keeper(keeper, KeeperThread::Job::reads,
                  [&](Keeper& one) { answer = question(one.experiment_host()); });
  return *std::move(answer);
}

}  // namespace

void wait_for_keeper(KeeperThread& keeper, KeeperThread::Job kind, const std::function<void(Keeper&)>& work) {
  std::promise<void> done;
  std::future<void> end = done.get_future();
  keeper.submit_ahead(kind, [&](Keeper& one) {
    try {
      work(one);
      done.set_value();
    } catch (...) {
      done.set_exception(std::current_exception());
    }
  });
  end.get();
}

StateBefore KeptExperimentHost::in_force() {
  return ask<StateBefore>(keeper_, [](LiveExperimentHost& host) { return host.in_force(); });
}

std::string KeptExperimentHost::plan(const PolicySource& policy) {
  return ask<std::string>(keeper_, [&](LiveExperimentHost& host) { return host.plan(policy); });
}

void KeptExperimentHost::put_in_force(const PolicySource& policy) {
  wait_for_keeper(keeper_, KeeperThread::Job::changes,
                  [&](Keeper& keeper) { keeper.put_arm_in_force(policy, by_); });
}

void KeptExperimentHost::restore(const StateBefore& before) {
  wait_for_keeper(keeper_, KeeperThread::Job::changes,
                  [&](Keeper& keeper) { keeper.bring_back(before, by_); });
}

ServiceUse KeptExperimentHost::use_of(const std::string& service) {
  return ask<ServiceUse>(keeper_, [&](LiveExperimentHost& host) { return host.use_of(service); });
}

std::map<std::string, std::string> KeptExperimentHost::facts() {
  return ask<std::map<std::string, std::string>>(keeper_,
                                                 [](LiveExperimentHost& host) { return host.facts(); });
}

}  // namespace bulkhead

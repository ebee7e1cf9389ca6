// SPDX-License-Identifier: Apache-2.0
// What the API asks of the desk, on its thread.
#include <nlohmann/json.hpp>

#include "controller/daemon/experiment_desk.h"
#include "controller/daemon/experiment_order.h"
#include "policies/experiment_reader.h"

namespace bulkhead {

void ExperimentDesk::add_to(Dispatcher& dispatcher) {
  using Parameters = nlohmann::json;
  dispatcher.handle("experiment.start", [this](const Caller& caller, const Parameters& parameters,
                                               const Reply& reply) { start(caller, parameters, reply); });
  dispatcher.handle("experiment.stop", [this](const Caller& caller, const Parameters&, const Reply& reply) {
    stop(caller, reply);
  });
  dispatcher.handle("experiment.status", [this](const Caller&, const Parameters&, const Reply& reply) {
    const std::lock_guard guard(mutex_);
    reply(Answer(standing_json(standing_)));
  });
  dispatcher.handle("experiment.result",
                    [this](const Caller&, const Parameters&, const Reply& reply) { reply(result()); });
}

void ExperimentDesk::start(const Caller& caller, const nlohmann::json& parameters, const Reply& reply) {
  Order order{.input = experiment_order(parameters, caller.uid),
              .by = {.uid = caller.uid, .pid = caller.pid, .unit = caller.unit},
              .reply = reply};
  const std::lock_guard guard(mutex_);
  if (standing_.state != ExperimentState::none)
    throw Error(ErrorCode::conflict, "the experiment " + standing_.name + " has this host until it ends");
  ExperimentRecord::require_none(runtime_);  // one that was interrupted, and that we are yet to end
  standing_ = {.state = ExperimentState::starting,
               .name = require_experiment(order.input.source.text, order.input.source.file).name,
               .file = order.input.source.file,
               .by = order.by};
  is_asked_to_end_ = false;
  order_ = std::move(order);
  changed_.notify_all();
}

void ExperimentDesk::stop(const Caller& caller, const Reply& reply) {
  const std::lock_guard guard(mutex_);
  if (standing_.state == ExperimentState::none) throw Error(ErrorCode::not_found, "no experiment runs");
  if (standing_.state == ExperimentState::elsewhere) {
    throw Error(ErrorCode::conflict,
                "the experiment " + standing_.name + " is run by bulkhead itself: a signal ends that");
  }
  is_asked_to_end_ = true;
  waiting_for_end_.push_back(reply);
  changed_.notify_all();
  const Actor by{.uid = caller.uid, .pid = caller.pid, .unit = caller.unit};
  keeper_.submit_ahead(KeeperThread::Job::reads, [by, name = standing_.name](Keeper& keeper) {
    keeper.note_unchanged("experiment.stop", name, by);
  });
}

Answer ExperimentDesk::result() {
  const std::lock_guard guard(mutex_);
  if (latest_.empty()) return Answer(Error(ErrorCode::not_found, "no experiment has run here"));
  return Answer::rendered(latest_);
}

}  // namespace bulkhead

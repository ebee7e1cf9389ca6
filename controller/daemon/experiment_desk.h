// SPDX-License-Identifier: Apache-2.0
// Experiments in the daemon, one at a time, on a thread of their own: neither the API nor the keeper waits
// for a window.
#pragma once

#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "controller/api/dispatcher.h"
#include "controller/api/event_kinds.h"
#include "controller/daemon/experiment_standing.h"
#include "controller/daemon/keeper_thread.h"
#include "controller/experiment/runner.h"

namespace bulkhead {

struct ExperimentDeskOptions {
  std::string runtime_directory;  // with the record of what runs
  std::string state_directory;    // with the latest result
};

class ExperimentDesk {
 public:
  using Tell = std::function<void(EventKind, const nlohmann::ordered_json&)>;  // from any thread

  // What was running when an earlier daemon was ended goes on, or is ended, as its file says. Where that
  // fails it is told, and tried again.
  ExperimentDesk(boost::asio::io_context& api, KeeperThread& keeper, ExperimentDeskOptions options,
                 Tell tell);

  // Ends what runs: the state from before returns first. What may be resumed will be, by the next daemon.
  ~ExperimentDesk();

  // On the API's thread only, as all calls of handlers.
  void add_to(Dispatcher& dispatcher);

 private:
  struct Order {
    ExperimentInput input;
    Actor by;
    Reply reply;
  };

  void start(const Caller& caller, const nlohmann::json& parameters, const Reply& reply);
  void stop(const Caller& caller, const Reply& reply);
  Answer result();

  void work();
  void carry_out(const Order& order);
  bool recover();
  void go_on_or_end();
  void go_on(const RunningExperiment& running, ExperimentResult progress);
  void end_interrupted(const RunningExperiment& running, std::optional<ExperimentResult> progress);
  RunnerSeams seams(const Order* order);
  void take(const RunProgress& progress, const Order* order);
  void finish(const ExperimentResult& result);
  void note(const std::string& action, const std::string& refused);
  void note_trouble(const std::optional<Error>& trouble);
  void answer(const Reply& reply, Answer answer);
  void stand(ExperimentStanding standing);

  boost::asio::io_context& api_;
  KeeperThread& keeper_;
  Tell tell_;
  Store runtime_, persistent_;

  std::mutex mutex_;  // for all that follows
  std::condition_variable changed_;
  std::optional<Order> order_;
  ExperimentStanding standing_;
  std::string latest_;  // result, as JSON on one line; empty: none
  std::vector<Reply> waiting_for_end_;
  bool is_asked_to_end_ = false;  // by experiment.stop
  bool ends_ = false;             // with the daemon
  std::thread thread_;
};

}  // namespace bulkhead

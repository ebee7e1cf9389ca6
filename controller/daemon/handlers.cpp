// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/handlers.h"

#include <boost/asio/post.hpp>
#include <nlohmann/json.hpp>

#include "controller/planner/plan_json.h"
#include "controller/planner/planner.h"
#include "controller/topology/machine_file.h"
#include "policies/diagnostics_json.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

using Json = Keeper::Json;
using Parameters = nlohmann::json;

constexpr const char* kUnnamed = "policy";  // what messages call a document that has no name

PolicySource source_of(const Parameters& parameters) {
  return {parameters.at("text").get<std::string>(), parameters.value("name", std::string(kUnnamed))};
}

IfGeneration generation_of(const Parameters& parameters) {
  const auto expected = parameters.find("if_generation");
  return expected == parameters.end() ? IfGeneration() : IfGeneration(expected->get<std::uint64_t>());
}

Actor actor_of(const Caller& caller) {
  return {.uid = caller.uid, .pid = caller.pid, .unit = caller.unit};
}

Json check(const Parameters& parameters) {
  const PolicySource source = source_of(parameters);
  const std::vector<Diagnostic> diagnostics = read_policy(source.text).diagnostics;
  return {{"valid", diagnostics.empty()}, {"diagnostics", diagnostics_json(source.file, diagnostics)}};
}

Host machine_of(const Parameters& machine) {
  if (machine.is_object()) return read_machine_file(machine.dump(), "machine");
  const auto& name = machine.get_ref<const std::string&>();
  // The daemon reads as root: a caller must not choose what.
  if (name.find('/') != std::string::npos) {
    throw Error(ErrorCode::invalid,
                "\"machine\" is the name of a machine that Bulkhead ships, or what a machine file has");
  }
  return load_machine(name);
}

Json plan_for_machine(const Parameters& parameters) {
  const PolicySource source = source_of(parameters);
  const Host host = machine_of(parameters.at("machine"));
  const Policy policy = require_policy(source.text, source.file);
  try {
    return to_json(make_plan(policy, host.machine, host.capabilities), "resctrl", {});
  } catch (Error& error) {
    const ErrorDetail& detail = error.detail();
    if (detail.line != 0) error.set_place(source.file, detail.line, detail.column, detail.pointer);
    throw;
  }
}

const Error& too_busy() {
  static const Error error(ErrorCode::conflict, "too many requests wait already: try again later");
  return error;
}

const Error& ending() {
  static const Error error(ErrorCode::conflict,
                           "the daemon is about to end: this was not begun; ask again when it runs again");
  return error;
}

Answer answer_of(const std::function<Json(Keeper&)>& work, Keeper* keeper) {
  if (keeper == nullptr) return Answer(ending());
  try {
    return Answer(work(*keeper));
  } catch (const Error& error) {
    return Answer(error);
  } catch (const std::exception& error) {
    return Answer(Error(ErrorCode::internal, error.what()));
  }
}

}  // namespace

void Handlers::ask_keeper(KeeperThread::Job job, const Reply& reply, Work work) {
  const bool taken = keeper_.submit(job, [&api = api_, reply, work = std::move(work)](Keeper* keeper) {
    boost::asio::post(api, [reply, answer = answer_of(work, keeper)] { reply(answer); });
  });
  if (!taken) reply(Answer(too_busy()));
}

void Handlers::ask_keeper_once(std::shared_ptr<Shared>& shared, const Reply& reply, Work work) {
  if (shared && !shared->begun) {
    shared->replies.push_back(reply);
    return;
  }
  const auto asked = shared = std::make_shared<Shared>();
  asked->replies.push_back(reply);
  const auto answer_all = [asked](const Answer& answer) {
    asked->begun = true;
    for (const Reply& each : asked->replies) each(answer);
  };
  const auto look = [&api = api_, asked, answer_all, work = std::move(work)](Keeper* keeper) {
    asked->begun = true;
    boost::asio::post(api, [answer_all, answer = answer_of(work, keeper)] { answer_all(answer); });
  };
  const bool taken = keeper_.submit(KeeperThread::Job::reads, look);
  if (!taken) answer_all(Answer(too_busy()));
}

void Handlers::add_to(Dispatcher& dispatcher) {
  using Job = KeeperThread::Job;
  dispatcher.handle("policy.check", [](const Caller&, const Parameters& parameters, const Reply& reply) {
    reply(Answer(check(parameters)));
  });
  dispatcher.handle("policy.plan", [this](const Caller&, const Parameters& parameters, const Reply& reply) {
    if (parameters.contains("machine")) return reply(Answer(plan_for_machine(parameters)));
    ask_keeper(Job::reads, reply,
               [source = source_of(parameters)](Keeper& keeper) { return keeper.plan(source); });
  });
  dispatcher.handle(
      "policy.apply", [this](const Caller& caller, const Parameters& parameters, const Reply& reply) {
        const bool dry_run = parameters.value("dry_run", false);
        ask_keeper(
            dry_run ? Job::reads : Job::changes, reply,
            [source = source_of(parameters), expected = generation_of(parameters), dry_run,
             by = actor_of(caller)](Keeper& keeper) { return keeper.apply(source, expected, dry_run, by); });
      });
  dispatcher.handle(
      "policy.reset", [this](const Caller& caller, const Parameters& parameters, const Reply& reply) {
        ask_keeper(Job::changes, reply,
                   [expected = generation_of(parameters), by = actor_of(caller)](Keeper& keeper) {
                     return keeper.reset(expected, by);
                   });
      });
  dispatcher.handle("policy.active", [this](const Caller&, const Parameters&, const Reply& reply) {
    if (published_) return reply(Answer::rendered(published_->active));
    ask_keeper(Job::reads, reply, [](Keeper& keeper) { return keeper.active(); });
  });
  dispatcher.handle("host.describe", [this](const Caller&, const Parameters&, const Reply& reply) {
    ask_keeper(Job::reads, reply, [](Keeper& keeper) { return keeper.describe(); });
  });
  dispatcher.handle("state.verify", [this](const Caller&, const Parameters& parameters, const Reply& reply) {
    const bool behaviour = parameters.value("behaviour", false);
    ask_keeper_once(behaviour ? judging_ : verifying_, reply,
                    [behaviour](Keeper& keeper) { return keeper.verify(behaviour); });
  });
  dispatcher.handle("counters.read", [this](const Caller&, Parameters, Reply reply) {
    ask_keeper_once(counting_, std::move(reply), [](Keeper& keeper) { return keeper.read_counters(); });
  });
  dispatcher.handle("state.status", [this](const Caller&, const Parameters& parameters, const Reply& reply) {
    const bool fresh = parameters.value("fresh", false) || !published_ || published_->status.empty();
    if (!fresh) return reply(Answer::rendered(published_->status));
    ask_keeper_once(looking_, reply, [](Keeper& keeper) { return keeper.status(); });
  });
  const auto by_hand = [this](auto act) {
    return [this, act](const Caller& caller, const Parameters& parameters, const Reply& reply) {
      ask_keeper(
          Job::changes, reply,
          [act, service = parameters.at("service").get<std::string>(),
           pids = parameters.at("pids").get<std::vector<unsigned>>(), expected = generation_of(parameters),
           by = actor_of(caller)](Keeper& keeper) { return (keeper.*act)(service, pids, expected, by); });
    };
  };
  dispatcher.handle("service.attach", by_hand(&Keeper::attach));
  dispatcher.handle("service.detach", by_hand(&Keeper::detach));
}

}  // namespace bulkhead

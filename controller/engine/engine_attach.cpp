// SPDX-License-Identifier: Apache-2.0
// Processes that are given to services by hand.
#include <algorithm>

#include "controller/engine/engine.h"
#include "controller/engine/engine_locks.h"
#include "controller/engine/requirements.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

void require_taker(const Policy& policy, const std::string& name) {
  if (policy.find_service(name) == nullptr) {
    throw Error(ErrorCode::not_found, "the policy in force has no service \"" + name + '"');
  }
  if (!takes_processes(policy, name)) {
    throw Error(
        ErrorCode::infeasible,
        "service \"" + name + "\" does not select by pids: only such a service takes processes by hand");
  }
}

// When it started.
std::uint64_t require_process(ServiceFinder& finder, unsigned pid) {
  const std::string number = std::to_string(pid);
  const auto started = finder.started(pid);
  const auto process = finder.process_of(pid);
  if (!started || !process) throw Error(ErrorCode::not_found, "there is no process " + number);
  if (*process != pid) {
    throw Error(ErrorCode::not_found, "there is no process " + number + ": it is a thread of process " +
                                          std::to_string(*process) +
                                          ", which can be given with all its threads");
  }
  if (finder.is_kernel_thread(pid)) {
    throw Error(ErrorCode::infeasible, number + " is a kernel thread: the kernel alone moves those");
  }
  return *started;
}

// Whether the cgroup that it is in is taken away anyway.
bool goes_home(const std::vector<Step>& steps, unsigned pid) {
  return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
    return step.kind == StepKind::move_processes && step.tasks.contains(pid);
  });
}

}  // namespace

Outcome Engine::attach(const std::string& service, const std::vector<unsigned>& pids, IfGeneration expected) {
  return change_attached(service, expected, [&](Processes& attached, const Processes&) {
    for (const unsigned pid : pids) attached[pid] = require_process(finder_, pid);
  });
}

Outcome Engine::detach(const std::string& service, const std::vector<unsigned>& pids, IfGeneration expected) {
  return change_attached(service, expected, [&](Processes& attached, const Processes& had) {
    for (const unsigned pid : pids) {
      attached.erase(pid);
      if (!had.contains(pid)) {
        throw Error(ErrorCode::not_found,
                    "process " + std::to_string(pid) + " was not attached to service \"" + service + '"');
      }
    }
  });
}

Attached Engine::living(Attached attached) {
  for (auto& [name, processes] : attached) {
    std::erase_if(processes,
                  [&](const auto& process) { return finder_.started(process.first) != process.second; });
  }
  std::erase_if(attached, [](const auto& entry) { return entry.second.empty(); });
  return attached;
}

Outcome Engine::change_attached(const std::string& service, IfGeneration expected,
                                const ChangeOfAttached& change) {
  const std::unique_ptr<Locks> locks = lock();
  recover_locked();
  const State before = state();
  require_in_force(before);
  require_generation(before, expected);
  require_taker(require_policy(before.policy_text, before.policy_file), service);
  State wanted = before;
  const Processes remembered = wanted.attached[service];
  wanted.attached = living(std::move(wanted.attached));
  const Processes had = wanted.attached[service];
  change(wanted.attached[service], remembered);
  std::vector<unsigned> released;
  for (const auto& [pid, started] : had) {
    if (!wanted.attached[service].contains(pid)) released.push_back(pid);
  }
  std::erase_if(wanted.attached, [](const auto& entry) { return entry.second.empty(); });
  if (wanted.attached != before.attached) ++wanted.generation;
  return put_in_force(std::move(wanted), before, Repair::everything, {}, released);
}

// Back to the default group, and to the cgroup where they were: a plan leaves threads that it does not know
// in our groups, since they may be those that a selected process made.
std::vector<Step> Engine::release(const std::vector<unsigned>& pids, const Proposal& proposal,
                                  const Baseline& baseline) {
  std::vector<Step> steps;
  if (pids.empty()) return steps;
  const std::vector<unsigned> threads = finder_.find({.kind = SelectKind::pids, .pids = pids}).threads;
  Step home{.kind = StepKind::move_tasks};
  for (const auto& [group, members] : proposal.now.group_threads) {
    for (const unsigned thread : threads) {
      if (std::binary_search(members.begin(), members.end(), thread)) home.tasks[thread] = group;
    }
  }
  if (!home.tasks.empty()) steps.push_back(std::move(home));
  for (const auto& [path, members] : proposal.now.own_cgroups) {
    const auto made = baseline.made.find(path);
    for (const unsigned pid : pids) {
      if (made == baseline.made.end() || !made->second.contains(pid)) continue;
      if (!std::binary_search(members.begin(), members.end(), pid) || goes_home(proposal.diff.steps, pid))
        continue;
      steps.push_back(
          {.kind = StepKind::move_processes, .target = made->second.at(pid), .tasks = {{pid, path}}});
    }
  }
  return steps;
}

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// What the engine says about a host without changing it.
#include <algorithm>
#include <iterator>
#include <unistd.h>

#include "controller/engine/engine.h"
#include "controller/engine/leftovers.h"
#include "controller/engine/requirements.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

// Threads come and go while they are listed: what is only seen once was one that had gone.
constexpr int kLooks = 3;

// What was applied once and cannot be planned any more: CPUs have gone, resctrl is not mounted any more.
Finding no_longer_possible(const Error& error) {
  return {.kind = "plan",
          .service = {},
          .ccd = {},
          .expected = "a host on which it can be planned",
          .observed = error.detail().message,
          .message = std::string("this host cannot have it any more: ") + error.what()};
}

// What somebody else has claimed since it was applied. Nothing of theirs is touched.
Finding claimed_by_others(const Error& error) {
  return {
      .kind = "contested",
      .service = {},
      .ccd = {},
      .expected = "nobody else on the policy's ground",
      .observed = error.detail().message,
      .message = std::string("a part of it is somebody else's now, and is left to them: ") + error.what()};
}

std::vector<HostThread> host_threads(ServiceFinder& finder) {
  std::vector<HostThread> threads;
  for (const ServiceFinder::Thread& thread : finder.all_threads()) {
    if (thread.process == static_cast<unsigned>(::getpid())) continue;  // gone when this is read
    threads.push_back({thread.id, thread.name, CpuSet::parse_list(thread.allowed_cpus), thread.kernel});
  }
  std::sort(threads.begin(), threads.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return threads;
}

}  // namespace

Verification Engine::verify() {
  const State state = this->state();
  require_in_force(state);
  const Policy policy = policy_of(state);
  Verification result{.policy = policy.name,
                      .ccds = machine_.ccds.size(),
                      .settings = policy.verify,
                      .since = state.applied_at,
                      .classes = state.classes};
  for (int look = 0; look < kLooks; ++look) {
    const std::vector<HostThread> threads = host_threads(finder_);
    std::optional<Proposal> proposal;
    try {
      proposal = propose_kept(policy, state);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::infeasible && error.code() != ErrorCode::unsupported) throw;
      result.findings = {no_longer_possible(error)};
      return result;
    }
    result.waiting = std::move(proposal->diff.waiting);
    result.findings =
        verify_structure(proposal->plan, proposal->now, proposal->diff.targets, threads, machine_);
    std::transform(proposal->objections.begin(), proposal->objections.end(),
                   std::inserter(result.findings, result.findings.begin()), claimed_by_others);
    result.steps = std::move(proposal->diff.steps);
    result.plan = std::move(proposal->plan);
    result.now = std::move(proposal->now);
    result.capabilities = std::move(proposal->capabilities);
    if (result.findings.empty()) break;
  }
  return result;
}

std::vector<std::string> Engine::leftovers() {
  const State state = read_state(store_);
  if (!state.policy_text.empty()) return {};
  groups_->adopt(state.classes);
  return ours_in(observer_.observe({}, state.baseline));
}

}  // namespace bulkhead

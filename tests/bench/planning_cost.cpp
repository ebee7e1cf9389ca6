// SPDX-License-Identifier: Apache-2.0
// "planning_cost RUNS POLICY MACHINE": CPU time from text to plan, the first time and later ones. Floor:
// nlohmann/json parses the same two texts, and nothing else is done.
#include <nlohmann/json.hpp>

#include "controller/base/error.h"
#include "controller/planner/plan_json.h"
#include "controller/planner/planner.h"
#include "controller/topology/machine_file.h"
#include "controller/topology/text_file.h"
#include "policies/reader.h"
#include "tests/bench/stopwatch.h"

namespace bulkhead {
namespace {

void measure(unsigned runs, const std::string& policy_file, const std::string& machine_file) {
  const std::string policy = read_text_file(policy_file);
  const std::string machine = read_text_file(machine_file);
  std::size_t groups = 0;
  const auto plan = [&] {
    const Host host = read_machine_file(machine, machine_file);
    groups += make_plan(require_policy(policy, policy_file), host.machine, host.capabilities).groups.size();
  };
  bench::say("first", bench::timed(plan));
  const Host host = read_machine_file(machine, machine_file);
  std::vector<double> floor, whole, policy_to_plan;
  for (unsigned run = 0; run < runs; ++run) {
    floor.push_back(bench::timed([&] {
      groups += nlohmann::json::parse(policy, nullptr, true, true).size();
      groups += nlohmann::json::parse(machine, nullptr, true, true).size();
    }));
    whole.push_back(bench::timed(plan));
    policy_to_plan.push_back(bench::timed([&] {
      groups += make_plan(require_policy(policy, policy_file), host.machine, host.capabilities).groups.size();
    }));
  }
  if (groups == 0) throw Error(ErrorCode::internal, "nothing was planned");
  bench::say("floor", bench::median(floor));
  bench::say("whole", bench::median(whole));
  bench::say("policy_to_plan", bench::median(policy_to_plan));
}

}  // namespace
}  // namespace bulkhead

int main(int count, char** words) {
  if (count != 4) {
    std::fputs("usage: planning_cost RUNS POLICY MACHINE\n", stderr);
    return 2;
  }
  try {
    bulkhead::measure(bulkhead::bench::runs_from(words[1]), words[2], words[3]);
    return 0;
  } catch (const bulkhead::Error& error) {
    std::fprintf(stderr, "planning_cost: %s\n", error.what());
    return 1;
  }
}

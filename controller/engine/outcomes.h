// SPDX-License-Identifier: Apache-2.0
// What goes into the engine, and what comes out of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controller/base/error.h"
#include "controller/engine/diff.h"
#include "controller/engine/verify.h"
#include "controller/topology/capabilities.h"

namespace bulkhead {

struct PolicySource {
  std::string text;
  std::string file;  // for messages and for `status`
};

struct Proposal {
  std::string actuator;       // that writes the groups, as --actuator has it
  Capabilities capabilities;  // before anything is written
  Plan plan;
  Observed now;
  Diff diff;
  std::vector<Error> objections;  // others claim parts: all is without these parts
};

struct Outcome {
  std::string policy;       // empty after reset
  std::vector<Step> steps;  // that were done; empty: everything was as wanted, nothing was written
  std::vector<std::string> waiting;
  std::vector<std::string> notes;  // what came out otherwise than written, with the same effect
  std::uint64_t generation = 0;
};

// What a repair may do.
enum class Repair {
  everything,
  groups,    // resctrl alone
  cpusets,   // all but resctrl
  services,  // those that appeared get their CPUs, and threads go to their groups; groups stay as they are
  threads,   // those that are new go to their groups; what else differs stays, for others to see
};

// What a change counts on; nothing where the caller does not care.
using IfGeneration = std::optional<std::uint64_t>;

struct Recovery {
  std::string action;  // what had been interrupted
  std::size_t steps = 0;
  std::vector<std::string> notes;  // what could not be brought back exactly, with the same effect
};

struct Verification {
  std::string policy;
  std::size_t ccds = 0;           // of the machine
  std::vector<Finding> findings;  // empty: it holds
  std::vector<std::string> waiting;
  Plan plan;  // what was expected, and what was found
  Observed now;
  std::vector<Step> steps;  // that a repair would do
  Capabilities capabilities;
  VerifySettings settings;  // the policy's
  std::string since;        // UTC; when it was applied
  GroupClasses classes;     // numbers of our groups, where libpqos has numbers for them
};

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// Control groups, however they reach the hardware: through resctrl, or through libpqos, which knows them as
// numbered classes. What the engine needs of either.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "controller/kernel/file_system.h"
#include "controller/planner/actuator.h"
#include "controller/planner/observed.h"
#include "controller/resctrl/capabilities_reader.h"
#include "controller/topology/capabilities.h"

namespace bulkhead {

// Groups that have a number instead of a folder of their own: name -> n of COSn. It is remembered with the
// policy in force.
using GroupClasses = std::map<std::string, unsigned>;

class GroupActuator : public Actuator {
 public:
  virtual std::string_view name() const = 0;  // as --actuator has it, "resctrl"

  // Of resctrl, whether it is used or not.
  virtual const ResctrlPresence& presence() const = 0;

  // Whether groups can be read, and if not why; also what hinders where they can only be read.
  virtual bool usable() = 0;
  virtual std::string lack() = 0;

  // `vendor` is the host's, Machine::vendor; `groups` have been observed.
  virtual Capabilities capabilities(const std::string& vendor, const std::vector<ObservedGroup>& groups) = 0;

  // All control groups, the default one first, then by name.
  virtual std::vector<ObservedGroup> observe() = 0;

  // Only these control groups ("" is the default one), read again; one that is not there is left out.
  virtual std::vector<ObservedGroup> observe(const std::vector<std::string>& names) = 0;

  // Ids of the threads in a group ("" the default one, "bulkhead.web", "g/mon_groups/m"), sorted. A control
  // group's include those of its monitoring groups. A group that is not there has none.
  virtual std::vector<unsigned> tasks_of(const std::string& group) = 0;

  // Against other programs, while steps are done; null where no lock is needed. Error(conflict) when another
  // one still has it after `patience_ms`.
  virtual std::unique_ptr<FileLock> lock(int patience_ms) = 0;

  // Which of our groups have which numbers, as was remembered, and as the steps of an interrupted transaction
  // have it, which are about to be undone; and what is to be remembered.
  virtual void adopt(const GroupClasses&, const std::vector<Step>& = {}) {}
  virtual GroupClasses classes() const { return {}; }

  // Refuses what cannot be had this way: Error(infeasible) for a part of the plan, Error(unsupported) or
  // Error(conflict) for the host. Writes nothing.
  virtual void require_expressible(const Plan&, const Observed&) {}

  // Gives the groups that steps make and remove their numbers, as the steps' text: the journal is to know
  // them.
  virtual void number(std::vector<Step>&) {}
};

}  // namespace bulkhead

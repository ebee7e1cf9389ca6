// SPDX-License-Identifier: Apache-2.0
// Looks at a host for a while and judges whether it behaves as planned.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/cpu_use.h"
#include "controller/base/utc.h"
#include "controller/engine/outcomes.h"
#include "controller/monitor/behaviour.h"
#include "controller/monitor/counter_files.h"
#include "controller/monitor/sampler.h"

namespace bulkhead {

// What one look after the other found. A violation stays one, whatever comes later; all else is as seen last.
class BehaviourRecord {
 public:
  void take(const std::vector<Judgement>& judgements);
  void forget() { judgements_.clear(); }

  const std::vector<Judgement>& judgements() const { return judgements_; }
  std::size_t count(Verdict verdict) const;
  // Violated if anything is; else not settled if anything is not; else holds, if anything does.
  Verdict verdict() const;

 private:
  std::vector<Judgement> judgements_;
};

// libpqos on resctrl calls groups by its classes' numbers: COSn is which of ours.
CounterFiles::Names names_of_classes(const GroupClasses& classes);

class BehaviourCheck {
 public:
  // `mount_point` of resctrl; empty where it is not mounted, and then no counters are judged. All must
  // outlive the check.
  BehaviourCheck(FileSystem& files, const std::string& mount_point, const Machine& machine,
                 ReadingPlan plan = {});

  // What can be judged now; `found` was seen just before. Rates and CPUs take two looks.
  std::vector<Judgement> look(const Verification& found);

  // Null where resctrl is not mounted.
  Sampler* sampler() { return sampler_ ? &*sampler_ : nullptr; }
  const Sampler* sampler() const { return sampler_ ? &*sampler_ : nullptr; }
  bool counts() const;  // this host counts something

 private:
  std::chrono::milliseconds since_change(const Verification& found);
  std::vector<RanThread> ran(const Verification& found);

  const Machine& machine_;
  std::optional<CounterFiles> counters_;
  std::optional<Sampler> sampler_;
  CpuUse use_;
  std::optional<MonotonicTime> masks_differed_;
  bool first_ = true;
};

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// Looks at a host for a while and judges whether it behaves as planned.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/cpu_use.h"
#include "controller/base/utc.h"
#include "controller/engine/live_host.h"
#include "controller/engine/outcomes.h"
#include "controller/monitor/behaviour.h"
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

// The groups of the policy in force and others' as they are, and the default group with all CPUs that no group
// has; where none is in force (null) that one alone.
std::vector<CountedGroup> counted_groups(const Verification* found, const Machine& machine);

class BehaviourCheck {
 public:
  // Where nothing is counted no counters are judged. The host must outlive the check, and is as it was opened.
  BehaviourCheck(LiveHost& host, ReadingPlan plan);

  // What can be judged now; `found` was seen just before. Rates and CPUs take two looks.
  std::vector<Judgement> look(const Verification& found);

  // They were mended: lines that got in meanwhile are given time, from now on.
  void masks_changed() { masks_differed_ = std::chrono::steady_clock::now(); }

  // Null where nothing can count.
  CounterSource* source() { return source_.get(); }
  Sampler* sampler() { return sampler_ ? &*sampler_ : nullptr; }
  const Sampler* sampler() const { return sampler_ ? &*sampler_ : nullptr; }
  bool counts() const;       // this host counts something
  std::string lack() const;  // why nothing is counted now; else empty

 private:
  std::chrono::milliseconds since_change(const Verification& found);
  std::vector<RanThread> ran(const Verification& found);

  LiveHost& host_;
  std::unique_ptr<CounterSource> source_;
  std::optional<Sampler> sampler_;
  CpuUse use_;
  std::optional<MonotonicTime> masks_differed_;
  bool first_ = true;
};

}  // namespace bulkhead

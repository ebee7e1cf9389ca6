// SPDX-License-Identifier: Apache-2.0
// Counters where there is no resctrl: libpqos gives the CPUs that a group has on a CCD an RMID of their own.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controller/monitor/counter_source.h"
#include "controller/pqos/byte_count.h"
#include "controller/pqos/helper.h"
#include "controller/topology/machine.h"

namespace bulkhead {

class PqosCounters : public CounterSource {
 public:
  // `folder` is where it is written down what counts, while it does. The machine must outlive the counters.
  PqosCounters(const Machine& machine, std::string folder, PqosHelperOptions helper = {});

  const CounterShape& shape() const override { return shape_; }
  // What is to be counted; nothing is before the first time.
  bool follow(const std::vector<CountedGroup>& groups) override;
  bool rescan() override;
  // Where a group has no CPU there is no data, "absent". All registers are read at once, for all who ask
  // then.
  bool read(CounterEvent event, std::size_t group, std::span<Reading> into) override;
  std::string assign_free() override { return lack_of_some_; }
  std::string lack() const override { return lack_; }
  void rest() override;

 private:
  using Time = std::chrono::steady_clock::time_point;

  // A group's CPUs on a CCD.
  struct Part {
    CpuSet cpus;
    unsigned id = 0;  // of what counts them; 0: nothing does
    std::array<ByteCount, kCounterEvents.size()> bytes;
    std::array<Reading, kCounterEvents.size()> readings;
  };
  struct Group {
    CountedGroup counted;
    std::uint64_t id = 0;
    std::vector<Part> parts;  // by CCD of the shape
  };

  bool prepare();
  Group make(const CountedGroup& counted);
  void regroup();
  void start_all();
  void stop(const Group& group);
  void poll();
  void give_up(const std::string& why);

  const Machine& machine_;
  std::string folder_;
  PqosHelper helper_;
  CounterShape shape_;
  std::vector<CountedGroup> wanted_;
  std::vector<Group> groups_;  // as in the shape
  bool prepared_ = false;
  bool never_ = false;  // this processor has no counters
  std::string lack_, lack_of_some_;
  std::optional<Time> gave_up_, polled_;
  std::map<CounterEvent, PqosUnit> units_;
  std::uint64_t last_id_ = 0;
  unsigned last_count_ = 0;
};

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// Opens perf groups within the descriptors that there are, and explains what cannot be opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controller/base/error.h"
#include "controller/monitor/perf_group_set.h"
#include "controller/monitor/pmu.h"

namespace bulkhead {

struct PerfPlace {
  std::uint32_t type = 0;  // of the PMU
  PerfTarget target;
};

class PerfOpener {
 public:
  // At most `descriptors` are open at a time.
  PerfOpener(PerfSystem& system, std::optional<int> paranoid, std::size_t descriptors)
      : system_(system), paranoid_(paranoid), descriptors_(descriptors) {}

  PerfSystem& system() { return system_; }
  std::size_t descriptors() const { return descriptors_; }

  // All places, of which those that have gone meanwhile are left out; or the set is given up with the reason.
  // `in_use`: descriptors of other sets.
  PerfGroupSet open(const std::vector<PmuEvent>& events, const std::vector<PerfPlace>& places,
                    std::size_t in_use);

  // Sentences on what could not be opened since the last forget().
  std::vector<std::string> lacks() const;
  void forget() { refused_ = failure_ = ""; }

 private:
  NoData reason(const Error& error);

  PerfSystem& system_;
  std::optional<int> paranoid_;
  std::size_t descriptors_;
  std::string refused_;
  std::string failure_;
};

}  // namespace bulkhead

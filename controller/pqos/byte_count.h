// SPDX-License-Identifier: Apache-2.0
// From a register that wraps to bytes since counting began. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "controller/monitor/reading.h"
#include "controller/pqos/abilities.h"

namespace bulkhead {

class ByteCount {
 public:
  // What is moved while there is no data is not known, and not counted. A register that went back by more
  // than half of its range began anew, and so does the count.
  Reading take(const Reading& raw, const PqosUnit& unit) {
    if (!raw.good()) {
      last_.reset();
      return raw;
    }
    const std::uint64_t range = unit.bits < 64 ? (std::uint64_t{1} << unit.bits) - 1 : ~std::uint64_t{0};
    if (last_) {
      const std::uint64_t moved = (raw.value - *last_) & range;
      bytes_ = moved > range / 2 ? 0 : bytes_ + moved * unit.bytes;
    }
    last_ = raw.value;
    return {bytes_, NoData::none};
  }

 private:
  std::optional<std::uint64_t> last_;
  std::uint64_t bytes_ = 0;
};

}  // namespace bulkhead

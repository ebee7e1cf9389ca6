// SPDX-License-Identifier: Apache-2.0
// The words of machine files that both the reader and the writer know.
#pragma once

#include <array>
#include <string_view>

#include "controller/topology/capabilities.h"

namespace bulkhead {

struct BandwidthUnitWord {
  BandwidthUnit unit;
  std::string_view word;
};

inline constexpr std::array kBandwidthUnitWords{
    BandwidthUnitWord{BandwidthUnit::percent, "percent"},
    BandwidthUnitWord{BandwidthUnit::eighth_gb, "eighth_gb"},
    BandwidthUnitWord{BandwidthUnit::mib_per_second, "mib_per_second"},
};

inline constexpr unsigned kMachineFileVersion = 1;

}  // namespace bulkhead

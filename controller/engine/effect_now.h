// SPDX-License-Identifier: Apache-2.0
// What a service has now, whatever is planned for it: the third column beside asked and planned. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "controller/engine/engine.h"
#include "controller/topology/capabilities.h"

namespace bulkhead {

// Empty texts: it cannot be said, since nothing of the service runs or the host does not have such a thing.
struct EffectNow {
  std::string cpus;       // "0-95,192-287"
  std::string l3;         // "12 of 16 ways", "4 to 16 of 16 ways"
  std::string bandwidth;  // "unlimited", "40 GB/s", "30%"
  std::size_t threads = 0;
};

EffectNow effect_now(const ServiceEffect& service, const Plan& plan, const Observed& now,
                     const Capabilities& capabilities);

}  // namespace bulkhead

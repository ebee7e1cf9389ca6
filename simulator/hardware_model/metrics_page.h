// SPDX-License-Identifier: Apache-2.0
// The page that a Prometheus server scrapes, in its text format.
#pragma once

#include <span>
#include <string>

#include "simulator/hardware_model/hardware_model.h"

namespace bulkhead::sim {

// `metrics` has one entry per service.
std::string metrics_page(std::span<const ServiceSpec> services, std::span<const ServiceMetrics> metrics);

}  // namespace bulkhead::sim

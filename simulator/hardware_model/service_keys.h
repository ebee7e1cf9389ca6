// SPDX-License-Identifier: Apache-2.0
// The words for a service's parameters in a services file, with what values make sense.
#pragma once

#include <span>
#include <string_view>

#include "simulator/hardware_model/service.h"

namespace bulkhead::sim {

struct ServiceKey {
  std::string_view name;
  double ServiceSpec::*value;
  double low;  // both ends are allowed
  double high;
  std::string_view meaning;
};

std::span<const ServiceKey> service_keys();

// Throws Error(invalid) for a word that is none, or a value out of its range.
void set_parameter(ServiceSpec& service, std::string_view name, double value);

}  // namespace bulkhead::sim

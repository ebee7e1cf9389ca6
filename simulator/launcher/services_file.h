// SPDX-License-Identifier: Apache-2.0
// Which services a simulated host runs: a JSON file with // comments.
//   {"services": [{"name": "proxy", "kind": "cache-hungry-proxy", "threads": 192, "cgroup":
//   "/system.slice/proxy.service",
//                  "metrics_port": 9101, "parameters": {"offered": 60000, "smt": 0.02}}]}
// "name" and "threads" must be there; "parameters" are the words of service_keys.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/hardware_model/service.h"

namespace bulkhead::sim {

struct SimulatedService {
  ServiceSpec spec;
  std::string cgroup = "/";   // made if it is not there
  unsigned metrics_port = 0;  // of 127.0.0.1, for its Prometheus page; 0 for none
};

// Throws Error(invalid) with the place in `file`.
std::vector<SimulatedService> read_services_file(std::string_view text, const std::string& file);

}  // namespace bulkhead::sim

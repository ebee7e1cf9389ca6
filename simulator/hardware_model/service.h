// SPDX-License-Identifier: Apache-2.0
// A modelled service. Its parameters are stated for a reference machine, where a request takes one unit of
// service time; the defaults are the cache-hungry proxy's on a Genoa-X (96 MB of L3 per 8 cores), calibrated
// on published rows (calibration.h).
#pragma once

#include <limits>
#include <string>

namespace bulkhead::sim {

struct ServiceSpec {
  std::string name = "proxy";
  unsigned threads = 1;  // that would run all the time if there was enough to do
  double offered = std::numeric_limits<double>::infinity();  // requests/s, mean; infinite: as many as fit

  double core_seconds = 1e-3;   // of a core (all its CPUs busy) for a request
  double memory_share = 0.32;   // m0: part of core_seconds that waits for memory
  double stall_share = 0.50;    // part of the latency that waits; more, as siblings fill a core's stalls
  double miss_exponent = 0.44;  // alpha: misses grow as (cache / reference_cache)^-alpha
  double private_share = 0.12;  // beta: 0 all threads use the same data, 1 each has its own
  double smt = 0.03;            // s: a sibling of the same service helps, a stranger hurts by this
  double misses = 1.0;          // against the version the parameters were calibrated on

  double reference_cache = 57.80e6;  // bytes of L3 that it held of a CCD
  double reference_cores = 4;        // that it used of a CCD
  double reference_use = 0.2;        // u0: use of the memory's bandwidth
  double request_bytes = 1.1636e6;   // memory traffic of a request

  double latency = 2e-3;      // seconds; median of an idle reference machine
  double tail = 4.0;          // p99 over median there
  double queue_weight = 0.5;  // h: p99 grows by 1 + h rho / (1 - rho)

  bool operator==(const ServiceSpec&) const = default;
};

}  // namespace bulkhead::sim

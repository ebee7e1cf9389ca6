// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/service_keys.h"

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "controller/base/error.h"
#include "controller/base/text.h"

namespace bulkhead::sim {
namespace {

constexpr auto kKeys = std::to_array<ServiceKey>({
    {"offered", &ServiceSpec::offered, 0, 1e9, "requests/s, mean over the day; as many as fit if not given"},
    {"core_seconds", &ServiceSpec::core_seconds, 1e-7, 100, "of a core, for a request"},
    {"memory_share", &ServiceSpec::memory_share, 0, 0.99, "part of core_seconds that waits for memory"},
    {"stall_share", &ServiceSpec::stall_share, 0, 0.99, "part of the latency that waits for memory"},
    {"miss_exponent", &ServiceSpec::miss_exponent, 0, 2, "misses grow as cache ^ -miss_exponent"},
    {"private_share", &ServiceSpec::private_share, 0, 1, "part of the data that each thread has for itself"},
    {"smt", &ServiceSpec::smt, 0, 0.5, "gain by a sibling of the service, loss by a stranger"},
    {"misses", &ServiceSpec::misses, 0, 100, "factor on the miss curve"},
    {"reference_cache", &ServiceSpec::reference_cache, 1 << 16, 1e12, "bytes of L3 where misses are 1"},
    {"reference_cores", &ServiceSpec::reference_cores, 0.1, 1024, "that shared that cache"},
    {"reference_use", &ServiceSpec::reference_use, 0, 0.95, "of the memory's bandwidth, there"},
    {"request_bytes", &ServiceSpec::request_bytes, 0, 1e12, "memory traffic of a request, there"},
    {"latency", &ServiceSpec::latency, 1e-6, 100, "seconds; median of a request, there, without load"},
    {"tail", &ServiceSpec::tail, 1.01, 1000, "p99 over the median, without load"},
    {"queue_weight", &ServiceSpec::queue_weight, 0, 100, "p99 grows by 1 + queue_weight rho / (1 - rho)"},
});

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

Error unknown(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ServiceKey& key : kKeys) names.push_back(key.name);
  const std::string_view close = closest(name, names);
  std::string message = "'" + std::string(name) + "' is no parameter of a service";
  if (!close.empty()) message += "; did you mean '" + std::string(close) + "'?";
  return {ErrorCode::invalid, message};
}

}  // namespace

std::span<const ServiceKey> service_keys() {
  return kKeys;
}

void set_parameter(ServiceSpec& service, std::string_view name, double value) {
  for (const ServiceKey& key : kKeys) {
    if (key.name != name) continue;
    if (!(value >= key.low && value <= key.high)) {
      throw Error(ErrorCode::invalid, std::string(name) + " is " + number(value) + ", but must be " +
                                          number(key.low) + " to " + number(key.high));
    }
    service.*key.value = value;
    return;
  }
  throw unknown(name);
}

}  // namespace bulkhead::sim

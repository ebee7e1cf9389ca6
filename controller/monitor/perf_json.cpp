// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/perf_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

// An object whose numbers may be missing.
class Numbers {
 public:
  Numbers(const std::string& key, const Json& of) { object_[key] = of; }

  void put_count(const std::string& name, const Measured& value) {
    put(name, value, std::llround(value.value));
  }
  void put_ratio(const std::string& name, const Measured& value) {
    constexpr double kDigits = 1e4;
    put(name, value, std::round(value.value * kDigits) / kDigits);
  }
  void put_events(const std::vector<PmuEvent>& events, const PerfRates& rates) {
    for (std::size_t event = 0; event < events.size(); ++event) {
      put_count(events[event].name, rates.per_second[event]);
    }
  }
  Json finish() {
    object_["no_data"] = std::move(why_);
    return std::move(object_);
  }

 private:
  void put(const std::string& name, const Measured& value, const Json& number) {
    object_[name] = value.good() ? number : Json(nullptr);
    if (!value.good()) why_[name] = to_string(value.no_data);
  }

  Json object_ = Json::object();
  Json why_ = Json::object();
};

Json codes_of(const Pmu& pmu) {
  Json codes = Json::object();
  if (!pmu.cores.empty()) {
    for (const PmuEvent& event : pmu.service_events) codes[event.name] = event.code;
  }
  for (const PmuEvent& event : pmu.ccd_events) codes[event.name] = event.code;
  return codes;
}

}  // namespace

Json perf_json(const PerfCounters& counters) {
  const Pmu& pmu = counters.pmu();
  Json services = Json::array();
  for (const ServicePerf& values : counters.services()) {
    Numbers numbers("service", values.service);
    numbers.put_events(pmu.service_events, values.rates);
    numbers.put_ratio("ipc", values.ipc);
    numbers.put_ratio("counted_share", values.rates.counted_share);
    services.push_back(numbers.finish());
  }
  Json ccds = Json::array();
  for (const CcdPerf& values : counters.ccds()) {
    Numbers numbers("ccd", values.ccd.value);
    numbers.put_events(pmu.ccd_events, values.rates);
    numbers.put_ratio("l3_miss_ratio", values.miss_ratio);
    numbers.put_ratio("counted_share", values.rates.counted_share);
    ccds.push_back(numbers.finish());
  }
  return {{"events", codes_of(pmu)},
          {"services", std::move(services)},
          {"ccds", std::move(ccds)},
          {"lacking", counters.lacks()}};
}

}  // namespace bulkhead

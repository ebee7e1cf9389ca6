// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/perf_on_demand.h"

#include "controller/base/text.h"
#include "controller/kernel/descriptor_limit.h"

namespace bulkhead {
namespace {

constexpr std::chrono::milliseconds kBetweenSamples{200};  // rates over less tell nothing

void add(std::vector<PerfRate>& rates, const std::string& of, const std::string& event,
         const Measured& value) {
  if (value.good()) rates.push_back({.of = of, .event = event, .value = value.value});
}

}  // namespace

void PerfOnDemand::sample(const Verification* found, Time now) {
  if (!watch_) {
    watch_ =
        std::make_unique<PerfWatch>(host_.files(), host_.machine(),
                                    host_.engine().hierarchy().service_mount_point, raise_descriptor_limit());
    sampled_.reset();
  }
  if (found != nullptr) {
    watch_->follow(found->plan, found->now);
  } else {
    watch_->follow({}, {});
  }
  if (sampled_ && now - *sampled_ < kBetweenSamples) return;
  sampled_ = now;
  watch_->sample(now);
}

void PerfOnDemand::look(const Verification& found, Time now) {
  if (!always_ && (!asked_ || now - *asked_ > kWantedFor)) return forget();
  sample(&found, now);
}

const PerfCounters& PerfOnDemand::read(const Verification* found, Time now) {
  asked_ = now;
  sample(found, now);
  return watch_->counters();
}

PerfMetrics PerfOnDemand::metrics() const {
  PerfMetrics metrics;
  if (!watch_) return metrics;
  const PerfCounters& counters = watch_->counters();
  const Pmu& pmu = counters.pmu();
  for (const ServicePerf& service : counters.services()) {
    for (std::size_t event = 0; event < pmu.service_events.size(); ++event) {
      add(metrics.services, service.service, pmu.service_events[event].name, service.rates.per_second[event]);
    }
    add(metrics.ipc, service.service, "", service.ipc);
  }
  for (const CcdPerf& ccd : counters.ccds()) {
    for (std::size_t event = 0; event < pmu.ccd_events.size(); ++event) {
      add(metrics.ccds, to_string(ccd.ccd), pmu.ccd_events[event].name, ccd.rates.per_second[event]);
    }
  }
  return metrics;
}

std::string PerfOnDemand::lack() const {
  return watch_ ? join(watch_->counters().lacks(), "; ") : "";
}

}  // namespace bulkhead

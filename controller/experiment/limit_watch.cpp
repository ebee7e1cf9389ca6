// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/limit_watch.h"

#include <algorithm>
#include <functional>
#include <variant>

#include "controller/experiment/block_differences.h"

namespace bulkhead {
namespace {

constexpr std::chrono::seconds kBetweenLimitLooks{1};
constexpr int kRestAfterLook = 10;  // times as long as it took

template <class Wanted>
Experiment limits_of(const Experiment& experiment, Wanted&& wanted) {
  Experiment some = experiment;
  std::erase_if(some.limits, [&](const HardLimit& limit) {
    return !wanted(experiment.metrics[metric_index(experiment, limit.metric)]);
  });
  std::erase_if(some.metrics, [&](const MetricWant& metric) {
    return std::none_of(some.limits.begin(), some.limits.end(),
                        [&](const HardLimit& limit) { return limit.metric == metric.name; });
  });
  return some;
}

bool is_no_command(const MetricWant& metric) {
  return !std::holds_alternative<CommandSource>(metric.source);
}

}  // namespace

LimitWatch::LimitWatch(const Experiment& experiment, const std::string& folder, ExperimentHost& host)
    : at_once_(limits_of(experiment, has_value_at_once)),
      all_(limits_of(experiment, is_no_command)),
      values_(at_once_, folder, host),
      rates_(all_, folder, host) {}

void LimitWatch::candidate_begins(Time now) {
  if (all_.limits.empty()) return;
  rates_.begin();
  rates_since_ = now;
  next_ = now + kBetweenLimitLooks;
}

std::optional<PassedLimit> LimitWatch::look(const std::function<Time()>& now, Time until) {
  const Time begun = now();
  if (!next_ || begun < *next_ || begun + took_ >= until) return std::nullopt;
  std::optional<PassedLimit> passed;
  if (!at_once_.limits.empty()) {
    values_.begin();
    passed = passed_limit(at_once_, [&](std::size_t metric) { return values_.at_start(metric); });
  }
  if (!passed) passed = look_at_rates(begun);
  took_ = now() - begun;
  next_ = begun + std::max<Time::duration>(kBetweenLimitLooks, took_ * kRestAfterLook);
  return passed;
}

std::optional<PassedLimit> LimitWatch::look_at_rates(Time now) {
  if (!rates_since_ || now - *rates_since_ < all_.window / 2) return std::nullopt;
  rates_.halfway();
  auto passed = passed_limit(all_, [&](std::size_t metric) { return rates_.first_half(metric); });
  rates_.begin();
  rates_since_ = now;
  return passed;
}

}  // namespace bulkhead

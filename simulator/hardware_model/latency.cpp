// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/latency.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bulkhead::sim {
namespace {

constexpr double kRounding = 1e-6;       // of a request, that summing up may lose
constexpr double kBusiest = 0.98;        // the queue of a saturated service is long, but not endless
constexpr double kMedianQueueing = 0.2;  // the median feels so much of what the p99 feels
constexpr double kP99Deviations = 2.3263478740408408;
constexpr int kFirstDoubling = -13;
constexpr int kLastDoubling = 4;
constexpr int kPerDoubling = 16;

double deviation(const Latency& latency) {
  return std::log(latency.p99 / latency.p50) / kP99Deviations;
}

std::vector<double> make_limits() {
  std::vector<double> limits;
  for (int doubling = kFirstDoubling; doubling < kLastDoubling; ++doubling) {
    for (int step = 0; step < kPerDoubling; ++step) {
      limits.push_back(std::ldexp(1 + static_cast<double>(step) / kPerDoubling, doubling));
    }
  }
  limits.push_back(std::ldexp(1, kLastDoubling));
  return limits;
}

}  // namespace

double Latency::mean() const {
  return p50 * std::exp(deviation(*this) * deviation(*this) / 2);
}

double Latency::part_within(double seconds) const {
  return std::erfc(-std::log(seconds / p50) / (deviation(*this) * std::sqrt(2.0))) / 2;
}

Latency latency_of(const ServiceSpec& spec, const ServiceRates& rates) {
  const double rho = std::min(rates.busy, kBusiest);
  const double queue = spec.queue_weight * rho / (1 - rho);
  const double idle = spec.latency * rates.latency;
  return {idle * (1 + kMedianQueueing * queue), idle * spec.tail * (1 + queue)};
}

std::span<const double> bucket_limits() {
  static const std::vector<double> limits = make_limits();
  return limits;
}

LatencyHistogram::LatencyHistogram() : buckets_(bucket_limits().size() + 1), parts_(buckets_.size()) {}

void LatencyHistogram::add(double requests, const Latency& latency) {
  if (requests <= 0) return;
  if (!(latency == parts_of_)) {
    double below = 0;
    for (std::size_t at = 0; at < parts_.size(); ++at) {
      const double within = at < bucket_limits().size() ? latency.part_within(bucket_limits()[at]) : 1;
      parts_[at] = within - below;
      below = within;
    }
    parts_of_ = latency;
  }
  for (std::size_t at = 0; at < buckets_.size(); ++at) {
    carried_ += requests * parts_[at];
    const double whole = std::floor(carried_ + kRounding);
    buckets_[at] += static_cast<std::uint64_t>(whole);
    carried_ -= whole;
  }
  sum_ += requests * latency.mean();
}

std::uint64_t LatencyHistogram::count() const {
  return count_within(buckets_.size() - 1);
}

std::uint64_t LatencyHistogram::count_within(std::size_t limit) const {
  return std::accumulate(buckets_.begin(), buckets_.begin() + static_cast<std::ptrdiff_t>(limit) + 1,
                         std::uint64_t{0});
}

}  // namespace bulkhead::sim

// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/latency.h"

#include <algorithm>
#include <cmath>

namespace bulkhead::sim {
namespace {

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

LatencyHistogram::LatencyHistogram() : within_(bucket_limits().size()), parts_(within_.size()) {}

void LatencyHistogram::add(double requests, const Latency& latency) {
  if (requests <= 0) return;
  if (!(latency == parts_of_)) {
    for (std::size_t at = 0; at < parts_.size(); ++at) parts_[at] = latency.part_within(bucket_limits()[at]);
    parts_of_ = latency;
  }
  for (std::size_t at = 0; at < within_.size(); ++at) within_[at] += requests * parts_[at];
  count_ += requests;
  sum_ += requests * latency.mean();
}

std::uint64_t LatencyHistogram::count() const {
  return static_cast<std::uint64_t>(count_);
}

std::uint64_t LatencyHistogram::count_within(std::size_t limit) const {
  return static_cast<std::uint64_t>(within_[limit]);
}

}  // namespace bulkhead::sim

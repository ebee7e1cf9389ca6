// SPDX-License-Identifier: Apache-2.0
// How long requests take: a log-normal distribution through a median and a p99 that queueing draws apart, and
// the log-linear histogram that counts them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/hardware_model/rates.h"
#include "simulator/hardware_model/service.h"

namespace bulkhead::sim {

struct Latency {
  double p50 = 0;  // seconds
  double p99 = 0;

  double mean() const;
  double part_within(double seconds) const;  // of the requests, 0 to 1

  bool operator==(const Latency&) const = default;
};

// p99 = S tail (1 + h rho / (1 - rho)), where S is the latency that the caches and the memory make.
Latency latency_of(const ServiceSpec& spec, const ServiceRates& rates);

// Upper ends of the buckets, in seconds: 16 equal ones in each doubling, from 122 us to 16 s.
std::span<const double> bucket_limits();

// Requests are counted whole, each in one bucket, so that between any two moments no bucket shrinks. What is
// left of a request is carried on to the next bucket and the next step: how time is cut hardly matters.
class LatencyHistogram {
 public:
  LatencyHistogram();

  void add(double requests, const Latency& latency);

  std::uint64_t count() const;
  std::uint64_t count_within(std::size_t limit) const;  // index into bucket_limits(); cumulative
  double sum() const { return sum_; }                   // seconds

 private:
  std::vector<std::uint64_t> buckets_;  // each alone; the last has what is beyond all limits
  std::vector<double> parts_;           // of requests of the latency below, for each
  double carried_ = 0;
  Latency parts_of_;
  double sum_ = 0;
};

}  // namespace bulkhead::sim

// SPDX-License-Identifier: Apache-2.0
#include "tests/experiment/landscape.h"

#include <algorithm>
#include <cmath>

#include "tests/experiment/random_source.h"

namespace bulkhead::test {
namespace {

constexpr double kCcds = 12, kCores = 16, kWays = 16, kThreads = kCcds * kCores * 2;
constexpr double kSocketGb = 614;    // 12 channels of DDR5-6400
constexpr double kMostUse = 0.97;    // of the bandwidth
constexpr double kMostLoad = 0.95;   // of the cores
constexpr double kEveryone = 0.125;  // of the cache, which neighbours reach even beside a mask of all ways
constexpr int kRounds = 60;
constexpr double kDamping = 0.3;
constexpr double kTimedOut = 2.3;  // ln(10): requests are given up after ten times the limit
constexpr double kLeastKept = 0.1, kMostKept = 0.7;
const SearchPoint kHalf{.ccds = 6, .ways = 8, .bandwidth = Unlimited{}, .threads_per_core = 1};

// A service, or its neighbours as one.
struct Tenant {
  double stall = 0;    // share of its time that waits for memory, with the cache it is used to
  double curve = 0;    // miss rate against cache, the power
  double apart = 0;    // part of its working set that is private to a core
  double traffic = 0;  // GB/s of a core at that miss rate
  double load = 0;     // that is offered, over what the host could serve with all its threads
};

struct Host {
  Tenant service, neighbours;
  double thread_gain = 0;  // of a core's second thread
  double stranger = 0;     // what a stranger on the other thread costs
  double queueing = 0;     // of the memory
  double tail = 0;
};

Tenant tenant_of(RandomSource& random) {
  const auto between = [&](double low, double high) { return low + (high - low) * random.uniform(); };
  return {.stall = between(0.25, 0.5),
          .curve = between(0.3, 0.6),
          .apart = between(0.05, 0.3),
          .traffic = between(1, 4),
          .load = between(0.15, 0.4)};
}

Host host_of(RandomSource& random) {
  const auto between = [&](double low, double high) { return low + (high - low) * random.uniform(); };
  Host host{.service = tenant_of(random), .neighbours = tenant_of(random)};
  host.thread_gain = between(0.1, 0.35);
  host.stranger = between(0, 0.06);
  host.queueing = between(0.1, 0.4);
  host.tail = between(0.5, 2);
  return host;
}

double misses(const Tenant& tenant, double share, double ccds) {
  return std::pow(share * std::pow(8 / ccds, tenant.apart), -tenant.curve);
}

double service_time(const Tenant& tenant, double miss_rate, double queue) {
  return 1 - tenant.stall + tenant.stall * miss_rate * queue;
}

// Without a step, so that what is beyond the limit is only worse.
double p99_of(double time, double tail, double load) {
  const double held = std::min(load, kMostLoad);
  return time * (1 + tail * held / (1 - held)) * (1 + 2 * std::max(0.0, load - kMostLoad));
}

Value value_of(const Host& host, const SearchPoint& point) {
  const double ccds = *point.ccds, threads = *point.threads_per_core;
  const double held = *point.ways / kWays;
  const Rate* cap = std::get_if<Rate>(&*point.bandwidth);
  const double miss = misses(host.service, held, ccds);
  const double beside = std::max(1 - held, kEveryone);
  const double share = (ccds * beside + (kCcds - ccds)) / kCcds;
  const double miss_of_others = misses(host.neighbours, share, kCcds);
  // Threads of the service's cores, and what one core does with them.
  const double yield = threads > 1 ? 1 + host.thread_gain : 1 - host.stranger;
  const double left = kThreads - ccds * kCores * threads;
  double use = 0.5, pace = 1, slowed = 1;
  for (int round = 0; round < kRounds; ++round) {
    const double queue = 1 + host.queueing * use / (1 - use);
    pace = yield / service_time(host.service, miss, queue);
    const double wanted = kCores * host.service.traffic * miss * pace;  // GB/s of a CCD
    slowed = cap ? std::min(1.0, static_cast<double>(cap->bytes_per_second) / 1e9 / wanted) : 1;
    const double others = host.neighbours.load * kThreads / 2 * host.neighbours.traffic * miss_of_others;
    const double next = std::min(kMostUse, (ccds * wanted * slowed + others) / kSocketGb);
    use += kDamping * (next - use);
  }
  const double queue = 1 + host.queueing * use / (1 - use);
  const double throughput = ccds * kCores * pace * slowed;
  const double own_time = yield / (pace * slowed);
  const double others_time = service_time(host.neighbours, miss_of_others, queue);
  const double own = p99_of(own_time, host.tail, host.service.load * kThreads / 2 / throughput);
  const double others = p99_of(others_time, host.tail, host.neighbours.load * kThreads * others_time / left);
  return {std::log(throughput), std::log(std::max(own, others))};
}

}  // namespace

SearchRanges landscape_ranges() {
  SearchRanges ranges;
  ranges.ccds = {2, 3, 4, 6, 8, 10};
  for (unsigned ways = 4; ways <= 16; ways += 2) ranges.ways.push_back(ways);
  for (const unsigned gb : {12U, 24U, 36U}) ranges.bandwidth.push_back(Rate{gb * 1'000'000'000ULL});
  ranges.bandwidth.push_back(Unlimited{});
  ranges.threads_per_core = {1, 2};
  return ranges;
}

Landscape::Landscape(const SearchSpace& space, std::uint64_t seed) {
  RandomSource random(seed);
  // Hosts where nearly anything keeps the limit, or nearly nothing, need no search.
  double kept = 0;
  while (kept < kLeastKept || kept > kMostKept) {
    const Host host = host_of(random);
    // What is asked for is a little more than what a plain half of everything gives.
    const double slack = std::log(1 + 0.5 * random.uniform());
    const double limit = value_of(host, kHalf).latency + slack;
    values_.clear();
    std::size_t keep = 0;
    for (std::size_t number = 0; number < space.size(); ++number) {
      values_.push_back(value_of(host, space.point(number)));
      values_.back().latency = std::min(values_.back().latency - limit, kTimedOut);
      keep += values_.back().latency <= 0 ? 1 : 0;
    }
    kept = static_cast<double>(keep) / static_cast<double>(space.size());
  }
  std::optional<std::size_t> best;
  for (std::size_t number = 0; number < values_.size(); ++number) {
    if (values_[number].latency > 0) continue;
    if (!best || values_[number].benefit > values_[*best].benefit) best = number;
  }
  oracle_ = *best;
}

}  // namespace bulkhead::test

// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/hardware_model.h"

#include <algorithm>
#include <cmath>

namespace bulkhead::sim {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds kTick = std::chrono::milliseconds(100);
constexpr nanoseconds kSecond = std::chrono::seconds(1);
constexpr double kNoticed = 1e-3;  // part of a CCD's cache; smaller changes leave the rates as they are

}  // namespace

HardwareModel::HardwareModel(Machine machine, std::vector<ServiceSpec> services, std::uint64_t seed,
                             const Disturbance& disturbance)
    : machine_(std::move(machine)),
      services_(std::move(services)),
      seed_(seed),
      disturbance_(disturbance),
      caches_(machine_),
      metrics_(services_.size()),
      moments_(services_.size()) {}

void HardwareModel::step(nanoseconds time, const Placement& placement) {
  if (placement != placement_) place(placement);
  const nanoseconds end = now_ + time;
  while (now_ < end) {
    if (is_stale_ || (now_ % kTick == nanoseconds(0) && is_outdated())) evaluate();
    const nanoseconds next_tick = now_ - now_ % kTick + kTick;
    const nanoseconds until = std::min(end, next_tick);
    pass(std::chrono::duration<double>(until - now_).count());
    now_ = until;
  }
}

void HardwareModel::set_offered(unsigned service, double requests_per_second) {
  services_[service].offered = requests_per_second;
  is_stale_ = true;
}

void HardwareModel::place(const Placement& placement) {
  cpu_classes(machine_, placement, services_.size());  // refuses what does not fit
  std::vector<unsigned> holders;
  for (const Crew& crew : placement.crews) holders.push_back(holder_of(crew));
  rates_.emplace(machine_, services_, placement, holders);
  placement_ = placement;
  is_stale_ = true;
}

unsigned HardwareModel::holder_of(const Crew& crew) {
  const auto [found, is_new] = holders_.try_emplace({crew.counted, crew.service});
  if (is_new) found->second = caches_.add_holder();
  return found->second;
}

void HardwareModel::evaluate() {
  is_stale_ = false;
  const auto second = static_cast<std::uint64_t>(now_ / kSecond);
  for (unsigned service = 0; service < services_.size(); ++service) {
    moments_[service] = conditions(services_[service], disturbance_, seed_, service, second);
  }
  rates_->solve(caches_, moments_);
  inflows_ = rates_->inflows();
  held_.clear();
  for (const Seat& seat : rates_->seats()) held_.push_back(caches_.bytes(rates_->holder(seat), seat.ccd));
  for (unsigned service = 0; service < services_.size(); ++service) {
    const ServiceRates& rates = rates_->services()[service];
    metrics_[service].requests_per_second = rates.requests;
    metrics_[service].capacity = rates.capacity;
    metrics_[service].latency = latency_of(services_[service], rates);
  }
}

bool HardwareModel::is_outdated() const {
  const auto second = static_cast<std::uint64_t>(now_ / kSecond);
  if (now_ % kSecond == nanoseconds(0)) {
    for (unsigned service = 0; service < services_.size(); ++service) {
      const Conditions next = conditions(services_[service], disturbance_, seed_, service, second);
      if (next != moments_[service]) return true;
    }
  }
  std::size_t at = 0;
  for (const Seat& seat : rates_->seats()) {
    const double moved = caches_.bytes(rates_->holder(seat), seat.ccd) - held_[at++];
    if (std::abs(moved) > kNoticed * machine_.ccd_bytes()) return true;
  }
  return false;
}

void HardwareModel::pass(double seconds) {
  caches_.pass(inflows_, seconds);
  for (const Seat& seat : rates_->seats()) {
    Traffic& traffic = traffic_[{rates_->crew(seat).counted, seat.ccd}];
    traffic.total += seat.bytes * seconds;
    traffic.local += seat.local_bytes * seconds;
  }
  for (ServiceMetrics& metrics : metrics_) {
    metrics.histogram.add(metrics.requests_per_second * seconds, metrics.latency);
  }
}

std::uint64_t HardwareModel::occupancy(unsigned counted, unsigned ccd) const {
  double sum = 0;
  for (auto found = holders_.lower_bound({counted, 0}); found != holders_.end(); ++found) {
    if (found->first.first != counted) break;
    sum += caches_.bytes(found->second, ccd);
  }
  return static_cast<std::uint64_t>(sum);
}

std::uint64_t HardwareModel::total_bytes(unsigned counted, unsigned ccd) const {
  const auto found = traffic_.find({counted, ccd});
  return found == traffic_.end() ? 0 : static_cast<std::uint64_t>(found->second.total);
}

std::uint64_t HardwareModel::local_bytes(unsigned counted, unsigned ccd) const {
  const auto found = traffic_.find({counted, ccd});
  return found == traffic_.end() ? 0 : static_cast<std::uint64_t>(found->second.local);
}

double HardwareModel::all_bytes(unsigned ccd) const {
  double sum = 0;
  for (const auto& [where, traffic] : traffic_) sum += where.second == ccd ? traffic.total : 0;
  return sum;
}

}  // namespace bulkhead::sim

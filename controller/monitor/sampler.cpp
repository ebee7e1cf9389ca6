// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/sampler.h"

#include <algorithm>
#include <map>

namespace bulkhead {
namespace {

constexpr std::size_t index(CounterEvent event) {
  return static_cast<std::size_t>(event);
}

bool is_due(const std::optional<MonotonicTime>& last, std::chrono::milliseconds age, MonotonicTime now) {
  // Who calls each second is woken a little early at times, and means this second all the same.
  return !last || now - *last >= age - age / 10;
}

}  // namespace

const ReadingPlan::Age& ReadingPlan::of(CounterEvent event) const {
  switch (event) {
    case CounterEvent::llc_occupancy:
      return occupancy;
    case CounterEvent::mbm_total_bytes:
      return total;
    case CounterEvent::mbm_local_bytes:
      break;
  }
  return local;
}

Sampler::Sampler(CounterSource& source, ReadingPlan plan, Clock clock)
    : source_(source), plan_(plan), clock_(std::move(clock)) {}

bool Sampler::has(CounterEvent event) const {
  const auto& events = shape().events;
  return std::find(events.begin(), events.end(), event) != events.end();
}

// What stays of the shape keeps its series.
void Sampler::rescan() {
  const bool first = !scanned_at_;
  scanned_at_ = clock_();
  group_went_ = false;
  if (!source_.rescan() && !first) return;
  const CounterShape& now = shape();
  std::map<std::uint64_t, std::size_t> before;
  if (ccds_ == now.ccds) {
    for (std::size_t group = 0; group < groups_.size(); ++group) before[groups_[group].id] = group;
  }
  for (const CounterEvent event : kCounterEvents) {
    std::vector<Series> kept(has(event) ? now.groups.size() * now.ccds.size() : 0);
    std::vector<Series>& old = series_[index(event)];
    for (std::size_t group = 0; group < now.groups.size() && !kept.empty() && !old.empty(); ++group) {
      const auto found = before.find(now.groups[group].id);
      if (found == before.end()) continue;
      const auto from = old.begin() + static_cast<std::ptrdiff_t>(found->second * now.ccds.size());
      std::copy_n(from, now.ccds.size(), kept.begin() + static_cast<std::ptrdiff_t>(row(group)));
    }
    old = std::move(kept);
  }
  groups_ = now.groups;
  ccds_ = now.ccds;
  readings_.resize(ccds_.size());
}

void Sampler::read(CounterEvent event) {
  if (!has(event)) return;
  std::vector<Series>& series = series_[index(event)];
  read_at_[index(event)] = clock_();
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    if (!source_.read(event, group, readings_)) group_went_ = true;
    const MonotonicTime at = clock_();
    for (std::size_t ccd = 0; ccd < ccds_.size(); ++ccd) series[row(group) + ccd].push({at, readings_[ccd]});
  }
}

bool Sampler::sample() {
  const MonotonicTime now = clock_();
  if (group_went_ || is_due(scanned_at_, plan_.rescan, now)) rescan();
  bool any = false;
  for (const CounterEvent event : kCounterEvents) {
    const ReadingPlan::Age& age = plan_.of(event);
    if (!age || !is_due(read_at_[index(event)], *age, now)) continue;
    read(event);
    any = true;
  }
  return any;
}

void Sampler::sample(std::initializer_list<CounterEvent> events) {
  if (group_went_ || is_due(scanned_at_, plan_.rescan, clock_())) rescan();
  for (const CounterEvent event : events) read(event);
}

const Series& Sampler::series(CounterEvent event, std::size_t group, std::size_t ccd) const {
  static const Series kNone;
  const std::vector<Series>& all = series_[index(event)];
  return all.empty() ? kNone : all[row(group) + ccd];
}

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/perf_counters.h"

#include <algorithm>

#include "controller/base/text.h"

namespace bulkhead {
namespace {

constexpr std::size_t kCycles = 0;  // in Pmu::service_events
constexpr std::size_t kInstructions = 1;
constexpr std::size_t kLookups = 0;  // in Pmu::ccd_events
constexpr std::size_t kMisses = 1;

}  // namespace

PerfCounters::PerfCounters(PerfSystem& system, Pmu pmu, const Machine& machine, std::size_t descriptors)
    : opener_(system, pmu.paranoid, descriptors), pmu_(std::move(pmu)) {
  open_ccds(machine);
}

void PerfCounters::open_ccds(const Machine& machine) {
  for (const Ccd& ccd : machine.ccds) {
    const CpuSet cpus = pmu_.l3 ? pmu_.l3->cpus & ccd.cpus : CpuSet{};
    if (cpus.empty()) continue;
    const PerfPlace place{pmu_.l3->type, {.cpu = cpus.first(), .cgroup = {}, .thread = {}}};
    ccd_groups_.push_back(opener_.open(pmu_.ccd_events, {place}, ccd_descriptors_));
    ccd_values_.push_back({ccd.id, PerfRates::none(NoData::not_read), {}});
    if (!ccd_groups_.back().empty()) ccd_descriptors_ += pmu_.ccd_events.size();
  }
  ccd_lacks_ = opener_.lacks();
}

// On a processor with two kinds of core, a PMU counts only on its own CPUs, so that a thread is counted on
// each of its CPUs apart: else the times in which it ran would be those of both kinds.
std::vector<PerfPlace> PerfCounters::places_of(const PerfService& service) const {
  std::vector<PerfPlace> places;
  for (const CorePmu& core : pmu_.cores) {
    const std::vector<unsigned> cpus = (service.cpus & core.cpus).members();
    for (const std::string& cgroup : service.cgroups) {
      for (const unsigned cpu : cpus) places.push_back({core.type, {cpu, cgroup, {}}});
    }
    for (const unsigned thread : service.threads) {
      if (pmu_.cores.size() == 1) {
        places.push_back({core.type, {{}, {}, thread}});
      } else {
        for (const unsigned cpu : cpus) places.push_back({core.type, {cpu, {}, thread}});
      }
    }
  }
  return places;
}

std::vector<std::uint64_t> PerfCounters::identities_of(const PerfService& service) {
  std::vector<std::uint64_t> identities;
  for (const std::string& cgroup : service.cgroups) {
    identities.push_back(opener_.system().cgroup_identity(cgroup));
  }
  return identities;
}

PerfCounters::Followed PerfCounters::start(const PerfService& service, std::size_t in_use) {
  Followed followed{.service = service, .identities = identities_of(service), .descriptors = 0, .groups = {}};
  if (pmu_.cores.empty()) {
    followed.groups.give_up(NoData::not_counted);
    return followed;
  }
  PerfService there = service;
  std::erase_if(there.cgroups,
                [&](const std::string& path) { return opener_.system().cgroup_identity(path) == 0; });
  const std::vector<PerfPlace> places = places_of(there);
  wanted_descriptors_ += places.size() * pmu_.service_events.size();
  followed.groups = opener_.open(pmu_.service_events, places, in_use);
  if (!followed.groups.empty()) followed.descriptors = places.size() * pmu_.service_events.size();
  return followed;
}

void PerfCounters::follow(const std::vector<PerfService>& services) {
  opener_.forget();
  std::vector<Followed> kept;
  for (Followed& before : followed_) {
    const bool same = std::find(services.begin(), services.end(), before.service) != services.end() &&
                      identities_of(before.service) == before.identities && !before.groups.empty();
    if (same) kept.push_back(std::move(before));
  }
  followed_.clear();  // what is not kept gives its descriptors back before others are opened
  std::size_t in_use = ccd_descriptors_;
  for (const Followed& each : kept) in_use += each.descriptors;
  wanted_descriptors_ = in_use;
  service_values_.clear();
  for (const PerfService& service : services) {
    const auto found =
        std::find_if(kept.begin(), kept.end(), [&](const Followed& each) { return each.service == service; });
    const bool is_new = found == kept.end();
    followed_.push_back(is_new ? start(service, in_use) : std::move(*found));
    if (is_new) in_use += followed_.back().descriptors;
    service_values_.push_back({service.name, PerfRates::none(NoData::not_read), {}});
  }
}

void PerfCounters::sample(MonotonicTime now) {
  for (std::size_t index = 0; index < followed_.size(); ++index) {
    ServicePerf& values = service_values_[index];
    values.rates = followed_[index].groups.sample(now);
    values.ipc = values.rates.ratio(kInstructions, kCycles);
  }
  for (std::size_t index = 0; index < ccd_groups_.size(); ++index) {
    CcdPerf& values = ccd_values_[index];
    values.rates = ccd_groups_[index].sample(now);
    values.miss_ratio = values.rates.ratio(kMisses, kLookups);
  }
}

std::vector<std::string> PerfCounters::lacks() const {
  std::vector<std::string> sentences{pmu_.service_lack, pmu_.ccd_lack};
  for (const auto& said : {ccd_lacks_, opener_.lacks()})
    sentences.insert(sentences.end(), said.begin(), said.end());
  if (wanted_descriptors_ > opener_.descriptors()) {
    sentences.push_back("counting " + counted(followed_.size(), "service") + " on their CPUs takes " +
                        std::to_string(wanted_descriptors_) + " open files, and there can be " +
                        std::to_string(opener_.descriptors()) +
                        ": raise the limit (LimitNOFILE= of a unit, ulimit -Hn)");
  }
  std::vector<std::string> once;
  for (std::string& sentence : sentences) {
    if (!sentence.empty() && std::find(once.begin(), once.end(), sentence) == once.end())
      once.push_back(std::move(sentence));
  }
  return once;
}

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/pqos/library_counting.h"

#include <algorithm>
#include <array>

#include "controller/base/error.h"
#include "controller/pqos/library_functions.h"

namespace bulkhead {
namespace {

constexpr std::uint64_t kNotWritten = ~std::uint64_t{0};
constexpr unsigned kCheckedForOverflow = 32;  // bits

struct Event {
  CounterEvent event;
  pqos_mon_event theirs;
  std::uint64_t number;  // as registers have it
  std::uint64_t pqos_event_values::*value;
};
// As the library reads them, one after the other.
constexpr std::array<Event, 3> kEvents{
    {{CounterEvent::llc_occupancy, PQOS_MON_EVENT_L3_OCCUP, 1, &pqos_event_values::llc},
     {CounterEvent::mbm_local_bytes, PQOS_MON_EVENT_LMEM_BW, 3, &pqos_event_values::mbm_local},
     {CounterEvent::mbm_total_bytes, PQOS_MON_EVENT_TMEM_BW, 2, &pqos_event_values::mbm_total}}};

std::string text_of(const CpuSet& cpus) {
  return (cpus.size() == 1 ? "CPU " : "CPUs ") + cpus.to_list();
}

}  // namespace

std::vector<PqosUnit> PqosLibrary::Counting::units(const pqos_cap_mon& found) {
  std::vector<PqosUnit> units;
  rmids = found.max_rmid;
  for (const Event& event : kEvents) {
    for (unsigned index = 0; index < found.num_events; ++index) {
      const pqos_monitor& one = found.events[index];
      if (one.type != event.theirs) continue;
      events |= event.theirs;
      if (event.event == CounterEvent::llc_occupancy) {
        occupancy_unit = one.scale_factor;
        units.push_back({.event = event.event, .bytes = 1, .bits = 64});
        continue;
      }
      units.push_back({.event = event.event, .bytes = one.scale_factor, .bits = one.counter_length});
      tells_stale = tells_stale && one.counter_length != kCheckedForOverflow;
    }
  }
  std::sort(units.begin(), units.end(), [](const auto& a, const auto& b) { return a.event < b.event; });
  return units;
}

unsigned PqosLibrary::rmid_of(unsigned cpu) {
  pqos_rmid_t rmid = 0;
  said_.clear();
  require_ok(functions_->mon_assoc_get(cpu, &rmid), "read the RMID of CPU " + std::to_string(cpu));
  return rmid;
}

// The library can only take the RMIDs of all CPUs away at once.
std::string PqosLibrary::prepare_counting(const std::string& folder) {
  counting_->record = std::make_unique<CountingRecord>(folder);
  const std::vector<CountingRecord::Left> left = CountingRecord::left_in(folder);
  if (left.empty()) return {};
  CpuSet ours;
  CpuSet of_others;
  for (const PqosCpu& cpu : abilities_.cpus) {
    const unsigned rmid = rmid_of(cpu.cpu);
    if (rmid == 0) continue;
    const bool is_left = std::any_of(left.begin(), left.end(), [&](const CountingRecord::Left& one) {
      const auto found = one.rmids.find(cpu.cpu);
      return found != one.rmids.end() && found->second == rmid;
    });
    (is_left ? ours : of_others).insert(cpu.cpu);
  }
  if (!ours.empty() && !of_others.empty()) {
    return text_of(ours) + " still " + (ours.size() == 1 ? "counts" : "count") +
           " for a Bulkhead that was killed, and libpqos can only end that for all CPUs at once: " +
           text_of(of_others) + (of_others.size() == 1 ? " counts" : " count") + " for somebody else. Once " +
           (of_others.size() == 1 ? "it does" : "they do") + " not, `pqos -r` ends it";
  }
  if (!ours.empty()) {
    said_.clear();
    require_ok(functions_->mon_reset(), "end what a Bulkhead that was killed had counted");
  }
  for (const CountingRecord::Left& one : left) CountingRecord::remove(one);
  return {};
}

void PqosLibrary::write_record() {
  std::map<unsigned, unsigned> rmids;
  for (const auto& [id, count] : counting_->counts) {
    const unsigned rmid = count.rmid;
    count.cpus.for_each([&](unsigned cpu) { rmids[cpu] = rmid; });
  }
  counting_->record->write(rmids);
}

void PqosLibrary::start_counting(unsigned id, const CpuSet& cpus) {
  std::vector<unsigned> cores;
  cpus.for_each([&](unsigned cpu) {
    if (const unsigned rmid = rmid_of(cpu); rmid != 0) {
      throw Error(ErrorCode::conflict, "CPU " + std::to_string(cpu) +
                                           " counts for another program already, by RMID " +
                                           std::to_string(rmid) +
                                           ": end that one, or where it has ended and left it so, `pqos -r`");
    }
    cores.push_back(cpu);
  });
  Counting::Count& count = counting_->counts[id];
  said_.clear();
  const int answer =
      functions_->mon_start(static_cast<unsigned>(cores.size()), cores.data(),
                            static_cast<pqos_mon_event>(counting_->events), nullptr, &count.data);
  if (answer != PQOS_RETVAL_OK) {
    counting_->counts.erase(id);
    require_ok(answer, "count " + text_of(cpus) + " (it may be that none of the " +
                           std::to_string(counting_->rmids) + " RMIDs is free)");
  }
  count.cpus = cpus;
  count.rmid = rmid_of(cores.front());
  write_record();
}

void PqosLibrary::stop_counting(unsigned id) {
  const auto found = counting_->counts.find(id);
  if (found == counting_->counts.end()) return;
  said_.clear();
  const int answer = functions_->mon_stop(&found->second.data);
  counting_->counts.erase(found);
  write_record();
  require_ok(answer, "end counting");
}

// Where the hardware says Unavailable, the library leaves the value as it was, and does not go on to the
// events after it. Where the hardware says Error, it takes for the value what it had written into the
// register that selects, RMID and event. Both are known by what they leave. A counter of 32 bits it compares
// with the value before, so that one has to stay, and only the answer tells.
PqosCount PqosLibrary::read_count(unsigned id) {
  Counting::Count& count = counting_->counts.at(id);
  pqos_event_values& values = count.data.values;
  values.llc = kNotWritten;
  if (counting_->tells_stale) values.mbm_total = values.mbm_local = kNotWritten;
  said_.clear();
  pqos_mon_data* group = &count.data;
  const bool complete = functions_->mon_poll(&group, 1) == PQOS_RETVAL_OK;
  PqosCount read{.id = id, .readings = {}};
  bool ended = false;
  for (const Event& event : kEvents) {
    if (ended || (counting_->events & static_cast<unsigned>(event.theirs)) == 0) continue;
    const bool occupancy = event.event == CounterEvent::llc_occupancy;
    const std::uint64_t value = values.*event.value;
    const std::uint64_t selector = std::uint64_t{count.rmid} << 32 | event.number;
    Reading& reading = read.readings[static_cast<std::size_t>(event.event)];
    ended = value == kNotWritten || (!complete && !occupancy && !counting_->tells_stale);
    if (ended) {
      reading = {0, NoData::unavailable};
    } else if (value == selector * (occupancy ? counting_->occupancy_unit : 1)) {
      reading = {0, NoData::error};
    } else {
      reading = {value, NoData::none};
    }
  }
  return read;
}

std::vector<PqosCount> PqosLibrary::read_counts() {
  std::vector<PqosCount> counts;
  for (const auto& [id, count] : counting_->counts) counts.push_back(read_count(id));
  return counts;
}

void PqosLibrary::finish() {
  if (!functions_) return;
  for (auto& [id, count] : counting_->counts) functions_->mon_stop(&count.data);
  counting_->counts.clear();
  counting_->record.reset();
  functions_->fini();
}

}  // namespace bulkhead

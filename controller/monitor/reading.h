// SPDX-License-Identifier: Apache-2.0
// One value of one counter, or why there is none. No data is never 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace bulkhead {

// The counters that resctrl has for a group on a CCD, named as their files.
enum class CounterEvent : std::uint8_t {
  llc_occupancy,    // bytes of L3 that hold the group's lines now
  mbm_total_bytes,  // bytes moved beyond the L3 since the group was made
  mbm_local_bytes,  // of these, to memory of the same node
};
inline constexpr std::array kCounterEvents{CounterEvent::llc_occupancy, CounterEvent::mbm_total_bytes,
                                           CounterEvent::mbm_local_bytes};

std::string_view to_string(CounterEvent event);
std::optional<CounterEvent> parse_counter_event(std::string_view name);

enum class NoData : std::uint8_t {
  none,          // there is a value
  not_read,      // nobody has asked for it yet
  first_sample,  // a rate takes two
  restarted,     // the count went back since the last sample
  unavailable,   // the hardware does not track the group now
  error,         // the hardware calls the reading wrong
  unassigned,    // no counter is assigned to the group
  unreadable,    // the kernel refused, or wrote what is no number
  // Of performance counters only:
  idle,            // nothing ran that this could be a ratio or a share of
  multiplexed,     // other events had the counters all the time
  not_counted,     // no PMU here counts it
  refused,         // the kernel does not let us count
  no_descriptors,  // counting takes more files than may be open
  absent,          // the service does not run
};

// "unavailable"; empty for none.
std::string_view to_string(NoData why);
NoData parse_no_data(std::string_view word);  // what is not known is unreadable

struct Reading {
  std::uint64_t value = 0;
  NoData no_data = NoData::not_read;

  bool good() const { return no_data == NoData::none; }
  bool operator==(const Reading&) const = default;
};

// A counter file's content.
Reading parse_reading(std::string_view text);

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// Which transactions the bandwidth events count: a bit for each kind.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace bulkhead::sim {

struct Transaction {
  unsigned bit;
  std::string_view name;
};

inline constexpr std::array<Transaction, 7> kTransactions{{{0x01, "local_reads"},
                                                           {0x02, "remote_reads"},
                                                           {0x04, "local_non_temporal_writes"},
                                                           {0x08, "remote_non_temporal_writes"},
                                                           {0x10, "local_reads_slow_memory"},
                                                           {0x20, "remote_reads_slow_memory"},
                                                           {0x40, "dirty_victim_writes_all"}}};
inline constexpr unsigned kAllTransactions = 0x7f;

inline bool counts_bandwidth(std::string_view event) {
  return event.starts_with("mbm_");
}

inline unsigned default_transactions(std::string_view event) {
  constexpr unsigned kLocal = 0x15;
  return event == "mbm_local_bytes" ? kLocal : kAllTransactions;
}

}  // namespace bulkhead::sim

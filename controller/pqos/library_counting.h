// SPDX-License-Identifier: Apache-2.0
// What of PqosLibrary is about counting.
#pragma once

#include <map>
#include <memory>
#include <pqos.h>
#include <vector>

#include "controller/pqos/counting_record.h"
#include "controller/pqos/library.h"

namespace bulkhead {

struct PqosLibrary::Counting {
  struct Count {
    pqos_mon_data data{};  // has to stay where it is
    pqos_rmid_t rmid = 0;
    CpuSet cpus;
  };

  unsigned rmids = 0;
  unsigned events = 0;               // of pqos_mon_event, those to be counted
  std::uint64_t occupancy_unit = 1;  // bytes, by which the library multiplies
  bool tells_stale = true;           // false with counters of 32 bits, see read_count()
  std::map<unsigned, Count> counts;
  std::unique_ptr<CountingRecord> record;

  // Also takes in what is set above.
  std::vector<PqosUnit> units(const pqos_cap_mon& found);
};

}  // namespace bulkhead

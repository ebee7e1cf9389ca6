// SPDX-License-Identifier: Apache-2.0
// What library.cpp finds in libpqos, for the files that implement PqosLibrary: these alone know pqos.h.
#pragma once

#include <pqos.h>

#include "controller/pqos/library.h"

namespace bulkhead {

struct PqosLibrary::Functions {
  decltype(&::pqos_init) init;
  decltype(&::pqos_fini) fini;
  decltype(&::pqos_cap_get) cap_get;
  decltype(&::pqos_l3ca_get) l3ca_get;
  decltype(&::pqos_l3ca_set) l3ca_set;
  decltype(&::pqos_mba_get) mba_get;
  decltype(&::pqos_mba_set) mba_set;
  decltype(&::pqos_alloc_assoc_get) assoc_get;
  decltype(&::pqos_alloc_assoc_set) assoc_set;
  decltype(&::pqos_alloc_assoc_set_pid) assoc_set_pid;
  decltype(&::pqos_mon_assoc_get) mon_assoc_get;
  decltype(&::pqos_mon_start) mon_start;
  decltype(&::pqos_mon_stop) mon_stop;
  decltype(&::pqos_mon_poll) mon_poll;
  decltype(&::pqos_mon_reset) mon_reset;
};

}  // namespace bulkhead

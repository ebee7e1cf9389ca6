// SPDX-License-Identifier: Apache-2.0
// How loaded the sockets are, from what the hardware model has done since the last time.
#pragma once

#include <vector>

#include "simulator/hardware_model/hardware_model.h"
#include "simulator/launcher/hsmp.h"

namespace bulkhead::sim {

class SocketLoads {
 public:
  // After so many seconds with this placement; by socket. The first time nothing is known of the memory.
  std::vector<SocketLoad> after(const HardwareModel& hardware, const Placement& placement, double seconds);

 private:
  std::vector<double> bytes_;  // of memory, by socket, until now
};

}  // namespace bulkhead::sim

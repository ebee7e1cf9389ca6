// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/socket_loads.h"

#include <algorithm>
#include <utility>

namespace bulkhead::sim {
namespace {

std::size_t sockets_of(const Machine& machine) {
  return std::size_t{1} + *std::ranges::max_element(machine.socket_of_node);
}

std::vector<double> bytes_by_socket(const HardwareModel& hardware) {
  const Machine& machine = hardware.machine();
  std::vector<double> bytes(sockets_of(machine));
  for (unsigned ccd = 0; ccd < machine.ccds.size(); ++ccd) {
    bytes[machine.socket_of_node[machine.ccds[ccd].node]] += hardware.all_bytes(ccd);
  }
  return bytes;
}

// Busy CPUs of a CCD, the threads of each service spread evenly over the CPUs that they may use.
double busy_cpus(const HardwareModel& hardware, const Placement& placement, const Ccd& ccd) {
  double busy = 0;
  for (const Crew& crew : placement.crews) {
    const ServiceMetrics& metrics = hardware.metrics()[crew.service];
    const double share = metrics.capacity > 0 ? metrics.requests_per_second / metrics.capacity : 0;
    for (const ThreadSet& threads : crew.threads) {
      const auto here =
          std::ranges::count_if(ccd.cpus, [&](unsigned cpu) { return threads.cpus.contains(cpu); });
      const auto all = static_cast<double>(std::max<std::size_t>(1, threads.cpus.size()));
      busy += share * threads.threads * static_cast<double>(here) / all;
    }
  }
  return busy;
}

}  // namespace

std::vector<SocketLoad> SocketLoads::after(const HardwareModel& hardware, const Placement& placement,
                                           double seconds) {
  const Machine& machine = hardware.machine();
  const std::vector<double> before = std::exchange(bytes_, bytes_by_socket(hardware));
  std::vector<SocketLoad> loads(bytes_.size());
  std::vector<double> cpus(loads.size());
  for (const Ccd& ccd : machine.ccds) {
    const unsigned socket = machine.socket_of_node[ccd.node];
    cpus[socket] += static_cast<double>(ccd.cpus.size());
    loads[socket].busy += busy_cpus(hardware, placement, ccd);
  }
  for (std::size_t socket = 0; socket < loads.size(); ++socket) {
    loads[socket].busy = std::min(1.0, loads[socket].busy / std::max(1.0, cpus[socket]));
    if (!before.empty()) loads[socket].memory_bytes = (bytes_[socket] - before[socket]) / seconds;
  }
  return loads;
}

}  // namespace bulkhead::sim

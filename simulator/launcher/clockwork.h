// SPDX-License-Identifier: Apache-2.0
// Lets simulated time pass: the hardware works for the modelled services wherever the modelled kernel has put
// them, counters count, and the kernel does its periodic work.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "simulator/hardware_model/hardware_model.h"
#include "simulator/launcher/services_file.h"
#include "simulator/launcher/simulated_host.h"
#include "simulator/launcher/socket_loads.h"

namespace bulkhead::sim {

class Clockwork {
 public:
  // `processes` are those of the services, in the same order. `speed`: simulated seconds in one of the clock.
  Clockwork(SimulatedHost& host, const std::vector<SimulatedService>& services,
            std::vector<unsigned> processes, std::uint64_t seed, double speed);
  ~Clockwork();

  std::string metrics_of(std::size_t service);  // its Prometheus page

  // What it was, all in all, where this machine could not let time pass as fast as it should.
  std::optional<double> lower_speed();

 private:
  void run();
  std::chrono::nanoseconds due_time();
  void catch_up();
  void pass_seconds(std::chrono::nanoseconds time);
  void count();

  SimulatedHost& host_;
  std::vector<unsigned> processes_;
  double speed_;
  std::mutex mutex_;  // of what follows
  std::condition_variable stopped_;
  bool stop_ = false;
  HardwareModel hardware_;
  SocketLoads loads_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  double cost_ = 1e-3;  // seconds of work for a simulated second; more than it is, until it is measured
  std::chrono::nanoseconds time_{0}, lost_{0};
  std::chrono::seconds seconds_{0};
  std::thread thread_;
};

}  // namespace bulkhead::sim

// SPDX-License-Identifier: Apache-2.0
// The host system management port: messages to the firmware of each socket, as the kernel's driver passes
// them on and refuses them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "simulator/fuse/served_tree.h"
#include "simulator/launcher/processor_figures.h"

namespace bulkhead::sim {

struct SocketLoad {
  double memory_bytes = 0;  // per second
  double busy = 0;          // of its CPUs, 0 to 1
};

class Hsmp {
 public:
  Hsmp(const ProcessorFigures& figures, unsigned sockets);

  // ioctl(2)'s argument, which becomes what the caller gets; 0 or an errno.
  int control(unsigned long command, std::string& data, const OpenModes& modes);
  void set_loads(std::vector<SocketLoad> loads);  // by socket

 private:
  using Words = std::array<std::uint32_t, 8>;
  struct Socket {
    unsigned power_limit = 0;                       // mW
    unsigned boost_limit = 0;                       // MHz
    std::map<std::uint32_t, unsigned> core_limits;  // MHz, by APIC id
  };

  int get(unsigned message, std::size_t socket, Words& words) const;
  int set(unsigned message, Socket& socket, std::uint32_t word) const;
  unsigned power(std::size_t socket) const;  // mW
  std::uint32_t memory_use(std::size_t socket) const;
  unsigned frequency_limit(std::size_t socket) const;
  static unsigned core_limit(const Socket& socket, std::uint32_t apic_id);

  const ProcessorFigures figures_;
  std::mutex mutex_;
  std::vector<Socket> sockets_;
  std::vector<SocketLoad> loads_;
};

}  // namespace bulkhead::sim

// SPDX-License-Identifier: Apache-2.0
// What is known of a processor by its name, beyond what the kernel's files tell: typical of its generation.
#pragma once

#include <optional>
#include <string>

namespace bulkhead::sim {

struct ProcessorFigures {
  unsigned hsmp_protocol = 0;
  unsigned memory_channels = 0;  // of 8 bytes, of a socket
  unsigned memory_clock = 0;     // MHz; two transfers each
  unsigned fabric_clock = 0;     // MHz
  unsigned watts = 0;            // of a socket
  unsigned fastest = 0;          // MHz
  unsigned slowest = 0;

  double memory_bandwidth() const {  // bytes/s, of a socket
    constexpr double kBytesOfClock = 8 * 2 * 1e6;
    return memory_channels * kBytesOfClock * memory_clock;
  }
};

// Of a server processor since Zen 3 ("AMD EPYC 9965 192-Core Processor"), which has HSMP; nothing for others.
std::optional<ProcessorFigures> figures_of(const std::string& processor);

}  // namespace bulkhead::sim

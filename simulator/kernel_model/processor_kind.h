// SPDX-License-Identifier: Apache-2.0
// What Linux finds when it asks a processor what it is: by the name of its model, as typical of its kind.
#pragma once

#include <string>
#include <string_view>

#include "simulator/kernel_model/shape.h"

namespace bulkhead::sim {

struct PrivateCache {
  unsigned kib = 0;
  unsigned ways = 8;
};

struct ProcessorKind {
  unsigned family = 0;
  unsigned model = 0;
  unsigned stepping = 0;
  std::string_view microcode;
  unsigned cpuid_level = 0;
  PrivateCache l1_data;
  PrivateCache l2;
  std::string_view tlb;             // "" where the kernel does not tell
  std::string_view address_sizes;   // in bits: "52 bits physical, 57 bits virtual"
  std::string_view power;           // management that the processor announces
  std::string_view flags;           // with all that resctrl needs; a host may lack some
  std::string_view virtualisation;  // Intel's "vmx flags"; "" elsewhere
  std::string_view bugs;
};

struct Processor {
  const ProcessorKind* kind = nullptr;
  unsigned mhz = 0;  // the base clock, which is the time stamp counter's
};

// Of a name that is not known: a common processor of that vendor.
Processor processor_of(const KernelShape& shape);

}  // namespace bulkhead::sim

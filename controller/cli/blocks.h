// SPDX-License-Identifier: Apache-2.0
// CCDs as boxes beside each other. What is in them is values; here they become characters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/base/cpu_set.h"
#include "controller/base/identifiers.h"
#include "controller/cli/style.h"

namespace bulkhead {

// One cache way: who may fill it.
struct WayCell {
  enum class Use { open, owned, several } use = Use::open;  // open: nobody but the default group
  std::size_t group = 0;                                    // if owned
  bool devices = false;                                     // I/O may fill it, too
  bool operator==(const WayCell&) const = default;
};

struct WayBar {
  std::string label;  // "code", "data", or nothing
  std::vector<WayCell> ways;
  bool operator==(const WayBar&) const = default;
};

struct CpuLine {
  std::optional<std::size_t> group;  // whose; nothing where no plan is drawn
  CpuSet cpus;
  bool left_over = false;  // of no group of the plan
  std::string text;        // shown in place of the CPUs; empty for none
};

struct Block {
  std::string place;  // "socket 0, node 0": blocks of one place stand together
  CpuSet ids;         // of the CCDs, several where blocks that look alike are one
  std::vector<WayBar> bars;
  std::vector<CpuLine> lines;
};

// Blocks that look alike, in one place, as one.
std::vector<Block> folded(const std::vector<Block>& blocks);

// More blocks than these are folded before they are drawn.
inline constexpr std::size_t kMostBlocks = 32;

std::string draw_blocks(const std::vector<Block>& blocks, const Style& style);

// The character of a way: the owner's letter (small where devices share it), '+' for several owners, 's'
// where only devices and the default group are, '.' where nobody owns it.
char way_mark(const WayCell& cell);

// What stands before the CPUs; 0 where no plan is drawn.
char cpu_mark(const CpuLine& line);

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// Experiments and blocks for tests: "rate" is compared (higher is better), "p99" is guarded (lower is better,
// 5 %).
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "controller/experiment/judge.h"

namespace bulkhead::test {

inline Experiment two_arms() {
  Experiment experiment;
  experiment.name = "proxy";
  experiment.arms = {{.name = "none"}, {.name = "numa"}};
  experiment.control = "none";
  experiment.metrics = {{.name = "rate", .better = Better::higher}, {.name = "p99", .better = Better::lower}};
  experiment.primary = "rate";
  experiment.guards = {{.metric = "p99", .margin = Percent{500}}};
  return experiment;
}

struct Block {
  BlockRecord record;
  std::vector<WindowRecord> windows;
};

// A block in which the candidate's metrics are the control's, which are 100, times exp(effect) each.
inline Block block_of(unsigned number, const std::vector<double>& effects,
                      const std::string& candidate = "numa", const std::string& order = "ABBA") {
  Block block{{.number = number, .candidate = candidate, .order = order, .dropped = "", .dropped_arm = ""},
              {}};
  for (unsigned place = 0; place < 4; ++place) {
    WindowRecord window;
    window.block = number;
    window.place = place;
    window.arm = order[place] == 'B' ? candidate : "none";
    window.switched = place > 0 && order[place] != order[place - 1];
    for (const double effect : effects) {
      window.metrics.push_back({100 * std::exp(order[place] == 'B' ? effect : 0), ""});
    }
    block.windows.push_back(std::move(window));
  }
  return block;
}

// The i-th of an even number of differences around `effect` that are alternately `spread` above and below.
inline double around(double effect, double spread, unsigned i) {
  return effect + (i % 2 == 0 ? spread : -spread);
}

// Adds blocks whose differences lie around the effects until the verdict, at most `most`.
inline void run(Judge& judge, double rate, double p99, double spread, unsigned most = 40) {
  for (unsigned i = 0; i < most && !judge.is_decided(); ++i) {
    Block block = block_of(i + 1, {around(rate, spread, i), around(p99, spread, i)});
    judge.add(block.record, block.windows);
  }
}

}  // namespace bulkhead::test

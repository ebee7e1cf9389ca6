// SPDX-License-Identifier: Apache-2.0
// A reconciler that looks at a modelled host, each time by a program that was started anew.
#pragma once

#include <string>
#include <vector>

#include "controller/engine/reconciler.h"
#include "tests/unit/engine/engine_fixture.h"

namespace bulkhead::testing {

class Reconciling : public EngineTest {
 protected:
  Look look(Reconciler& reconciler) {
    return in_a_new_run([&](Engine& engine) { return reconciler.look(engine, now_); });
  }
  sim::KernelModel& host() { return kernel_->outside(); }
  void widen(const std::string& mask = "ff") {
    host().write("/sys/fs/resctrl/bulkhead.web/schemata", "L3:3=" + mask + "\n");
  }
  static std::vector<std::string> texts(const std::vector<Step>& steps) {
    std::vector<std::string> lines;
    for (const Step& step : steps) lines.push_back(describe(step));
    return lines;
  }
  static std::vector<std::string> texts(const std::vector<Finding>& findings) {
    std::vector<std::string> lines;
    for (const Finding& finding : findings) lines.push_back(finding.message);
    return lines;
  }

  Backoff::Time now_{std::chrono::seconds(1000)};
  Reconciler repairing_{OnDrift::repair};
  Reconciler reporting_{OnDrift::report};
};

}  // namespace bulkhead::testing

// SPDX-License-Identifier: Apache-2.0
// What an operator tells bulkheadd, in a file that is read like a policy: strict, with places. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/engine/reconciler.h"
#include "policies/diagnostic.h"

namespace bulkhead {

struct DaemonConfig {
  OnDrift on_drift = OnDrift::repair;
  std::chrono::milliseconds sweep{30'000};  // between looks that nothing asked for
  std::string admin_group = "bulkhead";
  std::string read_group = "bulkhead-read";
  std::string policy;               // a file to put in force at start and on SIGHUP; empty: what is in force
  std::string audit_log;            // empty: under /var/log, or beside a state that is elsewhere
  std::string metrics_file;         // for node_exporter's textfile collector; empty: none
  std::string actuator = "auto";    // one of kActuatorNames
  std::uint64_t ccd_bandwidth = 0;  // bytes a second, as bulkhead --ccd-bandwidth; 0: as remembered
};

struct ConfigReading {
  std::optional<DaemonConfig> config;   // there exactly if there are no diagnostics
  std::vector<Diagnostic> diagnostics;  // in the order of the document
};

ConfigReading read_config(std::string_view text);

// Of a file that nobody but its owner, root or who runs this, may write. One that is not there is the
// defaults, unless it `must_exist`. Throws Error.
DaemonConfig load_config(const std::string& path, bool must_exist);

}  // namespace bulkhead

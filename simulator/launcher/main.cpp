// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <unistd.h>

#include "controller/base/error.h"
#include "simulator/hardware_model/calibration.h"
#include "simulator/launcher/control_socket.h"
#include "simulator/launcher/options.h"
#include "simulator/launcher/run.h"

namespace {

int act(const bulkhead::sim::LaunchOptions& options) {
  using namespace bulkhead::sim;
  if (options.help) {
    std::fputs(launch_help().c_str(), stdout);
    return 0;
  }
  if (options.calibration) {
    std::fputs(calibration_report().c_str(), stdout);
    return 0;
  }
  if (!options.tell.empty()) {
    const std::string answer = tell(options.tell, options.line);
    std::printf("%s\n", answer.c_str());
    return answer.starts_with("error") ? 1 : 0;
  }
  return run(options);
}

}  // namespace

int main(int count, char** words) {
  try {
    return act(bulkhead::sim::parse_launch_options(count, words));
  } catch (const bulkhead::Error& error) {
    std::fprintf(stderr, "bulkhead-sim: %s\n", error.what());
    return bulkhead::exit_status(error.code());
  }
}

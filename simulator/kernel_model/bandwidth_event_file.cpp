// SPDX-License-Identifier: Apache-2.0
// mba_MBps_event: by which event the kernel steers the bandwidth of a group.
#include <algorithm>
#include <cerrno>

#include "simulator/kernel_model/resctrl.h"

namespace bulkhead::sim {

int Resctrl::write_steering_event(Group& group, std::string_view text) {
  if (!text.ends_with('\n')) return EINVAL;
  text.remove_suffix(1);
  command_starts();
  const std::vector<std::string> events = counting_.events();
  if (std::ranges::find(events, text) == events.end()) {
    return fail(EINVAL, "Unsupported event id '" + std::string(text) + "'");
  }
  group.steering_event = text;
  return 0;
}

}  // namespace bulkhead::sim

// SPDX-License-Identifier: Apache-2.0
// What the outside may do to a simulated host, as lines of text:
//   counter GROUP DOMAIN EVENT VALUE         VALUE in the counter's unit, or unavailable, error, unassigned;
//                                            GROUP "/" is the default one, rmid=NUMBER an RMID
//   ids GROUP                                is answered by its CLOSID and RMID
//   fault OPERATION PATTERN ERRNO [STATUS]   the next matching call fails so; STATUS goes to last_cmd_status
//   faults OPERATION PATTERN ERRNO           each of them
//   slow PATTERN MILLISECONDS                calls on matching paths take that much longer
//   clear                                    no faults, nothing slow
//   offline CPU, online CPU
//   mkdir PATH, rmdir PATH, write PATH TEXT  another program does that; \n in TEXT is a newline
//   pass SECONDS                             the kernel's periodic work of so many seconds, at most 3600
// OPERATION is read, write, mkdir, rmdir or mount; PATTERN has * and ?.
#pragma once

#include <string>
#include <string_view>

#include "simulator/launcher/simulated_host.h"

namespace bulkhead::sim {

// "ok", or "error: " and why not; for the calls of another program the name of their errno.
std::string run_control_command(SimulatedHost& host, std::string_view line);

}  // namespace bulkhead::sim

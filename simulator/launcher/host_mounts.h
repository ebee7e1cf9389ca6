// SPDX-License-Identifier: Apache-2.0
// Puts a simulated host in the place of the real one, for one process and its children.
#pragma once

#include <string>

#include "simulator/launcher/simulated_host.h"

namespace bulkhead::sim {

// In PID 1 of new namespaces: serves `host` through FUSE at a place of its own, until this process ends. The
// host must live as long. /proc and /sys are still the real ones here: a process that serves files must never
// look at them, since it would wait for itself, and could not even be killed while it does.
void serve_host(SimulatedHost& host);

// In a child, once the host is served: its /proc and /sys are over the real ones from now on, which stay
// reachable inside, and /run is empty. The current folder is the one of the same path in there, or /.
// `with_hsmp`: its /dev/hsmp is among the real devices. The mounts go with the namespaces; nothing of them is
// to be seen outside.
void enter_host(bool with_hsmp);

// The folder that covers `path` in there, or for the process that serves; "" where it is the real host's.
std::string covering_folder(const std::string& path);

}  // namespace bulkhead::sim

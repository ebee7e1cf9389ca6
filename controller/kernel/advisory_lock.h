// SPDX-License-Identifier: Apache-2.0
// flock(2), which is how programs agree on who writes to resctrl, and how Bulkhead keeps a second one of
// itself away from its files.
#pragma once

#include <string>

namespace bulkhead {

// LOCK_EX on an open file or directory; it lasts until the last copy of `descriptor` is closed. Waits for at
// most `patience_ms`, then throws Error(conflict) that names the holder as /proc/locks knows it. `path` is
// for messages.
void lock_exclusively(int descriptor, int patience_ms, const std::string& path);

}  // namespace bulkhead

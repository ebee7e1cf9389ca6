// SPDX-License-Identifier: Apache-2.0
// The locks of a transaction: on our own directory, and the one that programs which change resctrl agree on.
#pragma once

#include <memory>

#include "controller/base/unique_fd.h"
#include "controller/engine/engine.h"

namespace bulkhead {

struct Engine::Locks {
  UniqueFd store;
  std::unique_ptr<FileLock> resctrl;
};

}  // namespace bulkhead

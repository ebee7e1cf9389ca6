// SPDX-License-Identifier: Apache-2.0
#include "simulator/kernel_model/rmid_pool.h"

#include <cerrno>
#include <utility>

namespace bulkhead::sim {

RmidPool::RmidPool(unsigned count) {
  for (unsigned rmid = 1; rmid < count; ++rmid) free_.push_back(rmid);  // 0 is the default group's
}

int RmidPool::allocate(unsigned& rmid) {
  if (free_.empty()) return limbo_.empty() ? ENOSPC : EBUSY;
  rmid = free_.front();
  free_.pop_front();
  return 0;
}

void RmidPool::free(unsigned rmid, std::set<unsigned> dirty) {
  if (dirty.empty()) {
    free_.push_back(rmid);
  } else {
    limbo_[rmid] = std::move(dirty);
  }
}

}  // namespace bulkhead::sim

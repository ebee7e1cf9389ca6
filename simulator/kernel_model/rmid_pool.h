// SPDX-License-Identifier: Apache-2.0
// Monitoring ids. A freed one is in limbo until its cache lines are evicted in every L3 domain.
#pragma once

#include <deque>
#include <map>
#include <set>

namespace bulkhead::sim {

class RmidPool {
 public:
  explicit RmidPool(unsigned count);

  int allocate(unsigned& rmid);  // 0, EBUSY while some are in limbo, ENOSPC
  // `dirty`: the domains in which it may still hold cache; none: free at once.
  void free(unsigned rmid, std::set<unsigned> dirty);

  // Calls clean(rmid, domain) for what is in limbo; what is clean everywhere becomes free.
  template <class Clean>
  void check_limbo(Clean&& clean) {
    for (auto entry = limbo_.begin(); entry != limbo_.end();) {
      std::erase_if(entry->second, [&](unsigned domain) { return clean(entry->first, domain); });
      if (entry->second.empty()) {
        free_.push_back(entry->first);
        entry = limbo_.erase(entry);
      } else {
        ++entry;
      }
    }
  }

 private:
  std::deque<unsigned> free_;  // the longest unused first
  std::map<unsigned, std::set<unsigned>> limbo_;
};

}  // namespace bulkhead::sim

// SPDX-License-Identifier: Apache-2.0
// Which findings have been told, so that what lasts is told once. Of threads each counts by itself: a list of
// threads of which some have ended is no other finding.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "controller/engine/verify.h"

namespace bulkhead {

class ToldFindings {
 public:
  // Those of `found` that were not told before; they count as told now. What is neither found nor `unspoken`
  // any more is told again when it comes back; what is unspoken is not told by that.
  std::vector<Finding> tell(const std::vector<Finding>& found, const std::vector<Finding>& unspoken = {});

  bool contains(const Finding& finding) const;
  void keep_only(const std::vector<Finding>& found);
  void clear() { marks_.clear(); }

 private:
  std::set<std::string> marks_;
};

}  // namespace bulkhead

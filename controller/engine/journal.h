// SPDX-License-Identifier: Apache-2.0
// The journal of a transaction in progress: what was about to be changed, and what stood there before. It is
// on disk before the first write. A journal that is found at a start is an interrupted transaction.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controller/base/error.h"
#include "controller/engine/store.h"
#include "controller/planner/step.h"

namespace bulkhead {

struct JournalContent {
  std::string transaction;  // its id; the state file names the last one that was completed
  std::string action;       // "apply of numa-6-of-12"
  std::string actuator;     // that has written the groups
  std::vector<Step> steps;
};

class Journal {
 public:
  explicit Journal(Store& store) : store_(store) {}

  void begin(const std::string& transaction, const std::string& action, std::span<const Step> steps,
             std::string_view actuator = "resctrl");
  void add(const Step& step);  // on disk when it returns
  void end();

  // A last line that is torn was never acted upon, and is passed over. A journal that makes no sense
  // otherwise is Error(refused): it is kept, since it is all that is known of what stood before.
  std::optional<JournalContent> read() const;

 private:
  Error damaged(const std::string& reason) const;

  Store& store_;
};

}  // namespace bulkhead

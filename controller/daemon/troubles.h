// SPDX-License-Identifier: Apache-2.0
// What the daemon cannot do, each kind with the reason as it was last told, so that it is told once.
#pragma once

#include <map>
#include <string>
#include <utility>

namespace bulkhead {

// The worst first.
enum class Trouble {
  look,         // the host cannot be looked at: nothing is kept
  experiment,   // what was in force before an experiment does not return
  restore,      // what is to be in force cannot be put in force
  policy_file,  // that cannot be used
  memory,       // what is in force cannot be written down
  audit,        // who changed what cannot be written down
};

class Troubles {
 public:
  // True if it is another than before; an empty reason says that it is over.
  bool note(Trouble kind, const std::string& reason) {
    return std::exchange(reasons_[kind], reason) != reason;
  }
  void over(Trouble kind) { reasons_.erase(kind); }

  const std::string& reason(Trouble kind) const {
    static const std::string none;
    const auto found = reasons_.find(kind);
    return found == reasons_.end() ? none : found->second;
  }

  // Empty if there is none.
  const std::string& worst() const {
    static const std::string none;
    for (const auto& [kind, reason] : reasons_) {
      if (!reason.empty()) return reason;
    }
    return none;
  }

 private:
  std::map<Trouble, std::string> reasons_;
};

}  // namespace bulkhead

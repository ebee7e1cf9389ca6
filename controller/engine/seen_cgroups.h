// SPDX-License-Identifier: Apache-2.0
// Which differences of cgroups nobody made: the cgroup is new, its service has just started anew, or what is
// wanted of it has changed because another one came or went. Pure.
#pragma once

#include <map>
#include <set>
#include <string>

#include "controller/engine/outcomes.h"
#include "controller/engine/step_things.h"

namespace bulkhead {

class SeenCgroups {
 public:
  // As things stood after a look.
  void remember(const Verification& found);
  void forget() { *this = {}; }

  // Those of the differences that are news; none before anything is remembered. `restarted`: services of
  // which no thread is known.
  Things news(const Verification& found, const std::set<std::string>& restarted) const;

 private:
  bool is_news(const std::string& path, const std::string& thing, const Observed& now,
               const std::set<std::string>& restarted) const;

  bool remembers_ = false;
  std::map<std::string, ObservedCpuset> cgroups_;  // by path
  Things differed_;                                // from what was wanted
};

}  // namespace bulkhead

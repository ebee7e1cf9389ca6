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
  // Those of the differences that are news, at the beginning of a look; none at the first one. `restarted`:
  // services of which no thread is known.
  Things news(const Verification& found, const std::set<std::string>& restarted);

  // At the end of the look. What has come or was changed since its beginning is for the next one.
  void remember(const Verification& found);
  void forget() { *this = {}; }

 private:
  using Cgroups = std::map<std::string, ObservedCpuset>;  // by path

  bool is_news(const std::string& path, const std::string& thing, const Observed& now,
               const std::set<std::string>& restarted) const;

  bool remembers_ = false;
  Cgroups cgroups_, at_first_;           // as they were after the last look, and before this one
  Things differed_, differed_at_first_;  // from what was wanted
};

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// One CCD's L3 and the groups that meet there.
#pragma once

#include <string>
#include <vector>

#include "controller/planner/cache_share.h"
#include "controller/planner/way_packing.h"

namespace bulkhead {

class SharedCache {
 public:
  // Checks the fixed masks against each other and the foreign groups; throws Error(infeasible).
  SharedCache(const Grouping& grouping, const Policy& policy, const Ccd& ccd, const CacheCapability& l3,
              const Tenants& tenants, std::vector<std::string>& notes);

  const WayField& field() const { return field_; }
  const std::vector<WayAsk>& asks() const { return asks_; }
  bool has_exclusive() const;
  std::string name(std::size_t ask) const;
  std::size_t group(std::size_t ask) const {
    return parties_[ask].group;
  }  // the named ones, then the default one

  // Lowers the asks of those that want code and data apart to the larger of both; false if nobody does.
  bool overlap_code_and_data();

  // The mask for a default group that wants nothing itself: what it had, less what others now own. Where
  // nothing of that is left it is `packed`.
  WayMask narrowed_default(WayMask packed) const;

  // Adds the ask's lines for this CCD.
  void write(std::size_t ask, WayMask mask, bool cdp, Schemata& schemata) const;

  [[noreturn]] void refuse_shortage(const WayShortage& shortage) const;

 private:
  struct Party {
    const GroupDraft* draft = nullptr;
    std::size_t group = 0;
    std::optional<CacheShare> share;
  };

  void add_party(const GroupDraft& draft, std::size_t group, std::vector<std::string>& notes);
  void add_foreign(const Tenants& tenants, bool default_runs_here);
  void refuse_fixed_overlaps() const;
  void refuse_fixed(std::size_t ask) const;
  const Place& place(std::size_t ask) const;
  std::vector<std::string> rivals(std::size_t ask) const;

  struct ForeignWays {
    std::string name;
    WayMask mask;
    bool exclusive = false;
  };

  const Policy& policy_;
  const Ccd& ccd_;
  const CacheCapability& l3_;
  WayField field_;
  std::vector<Party> parties_;
  std::vector<WayAsk> asks_;  // by party
  std::vector<ForeignWays> foreign_;
  WayMask default_had_;
};

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/way_amount.h"

#include <algorithm>

#include "controller/base/text.h"
#include "controller/planner/refusal.h"
#include "controller/planner/want_text.h"

namespace bulkhead {
namespace {

class Converter {
 public:
  Converter(const Ccd& ccd, const CacheCapability& l3, const Place& place, const std::string& service,
            std::vector<std::string>& notes)
      : ccd_(ccd), l3_(l3), place_(place), service_(service), notes_(notes) {}

  WayAmount operator()(Percent percent) const {
    const std::uint64_t hundredths = std::uint64_t{percent.hundredths} * l3_.ways();
    refuse_bad_count(percent, percent.of(l3_.ways()), percent.hundredths == 0);
    return rounded(percent, percent.of(l3_.ways()), hundredths % 10'000 == 0);
  }

  WayAmount operator()(CacheSize size) const {
    const std::uint64_t way_bytes = l3_.ways() == 0 ? 0 : ccd_.l3_bytes / l3_.ways();
    if (way_bytes == 0) {
      refuse(ErrorCode::infeasible, place_,
             service_ + " wants " + describe(CacheAmount(size)) + " of the L3 of CCD " + to_string(ccd_.id) +
                 ", whose size is not known: say a percent or ways");
    }
    refuse_bad_count(size, size.bytes / way_bytes, size.bytes == 0);
    return rounded(size, size.bytes / way_bytes, size.bytes % way_bytes == 0);
  }

  WayAmount operator()(Ways ways) const {
    refuse_bad_count(ways, ways.count, ways.count == 0);
    return rounded(ways, ways.count, true);
  }

  WayAmount operator()(WayMask mask) const {
    const std::string text =
        service_ + " wants mask " + mask.to_hex() + " of the L3 of CCD " + to_string(ccd_.id);
    if (mask.empty())
      refuse(ErrorCode::infeasible, place_, text + ", which has no ways: nothing could be cached");
    if (!l3_.full.contains(mask)) {
      refuse(ErrorCode::infeasible, place_,
             text + ", but the machine has " + counted(l3_.ways(), "way") + ": mask " + l3_.full.to_hex());
    }
    if (!l3_.sparse && !mask.contiguous()) {
      refuse(ErrorCode::infeasible, place_, text + ": it has gaps, and this machine needs contiguous masks");
    }
    if (mask.count() < l3_.min_ways) {
      refuse(ErrorCode::infeasible, place_,
             text + ", but this machine needs at least " + counted(l3_.min_ways, "way"));
    }
    return {.ways = mask.count(), .mask = mask};
  }

 private:
  void refuse_bad_count(const CacheAmount& amount, std::uint64_t ways, bool nothing) const {
    if (!nothing && ways <= l3_.ways()) return;
    refuse(ErrorCode::infeasible, place_,
           service_ + " wants " + describe(amount) + " of the L3 of CCD " + to_string(ccd_.id) +
               (nothing ? ", with which nothing could be cached" : ", which has " + describe_all()));
  }

  std::string describe_all() const {
    std::string text = counted(l3_.ways(), "way");
    if (ccd_.l3_bytes != 0) text += ", " + format_bytes(ccd_.l3_bytes);
    return text;
  }

  WayAmount rounded(const CacheAmount& amount, std::uint64_t ways, bool exact) const {
    const auto least = std::max(l3_.min_ways, 1U);
    const auto planned = std::max(static_cast<unsigned>(ways), least);
    if (!exact || planned != ways) {
      add_note(notes_, service_ + ": " + describe(amount) + " of the L3 becomes " +
                           describe_ways(planned, ccd_, l3_) +
                           (planned != ways ? ", the least of this machine" : ""));
    }
    return {.ways = planned, .mask = std::nullopt};
  }

  const Ccd& ccd_;
  const CacheCapability& l3_;
  const Place& place_;
  const std::string& service_;
  std::vector<std::string>& notes_;
};

}  // namespace

WayAmount way_amount(const CacheAmount& amount, const Ccd& ccd, const CacheCapability& l3, const Place& place,
                     const std::string& service, std::vector<std::string>& notes) {
  return std::visit(Converter(ccd, l3, place, service, notes), amount);
}

std::string describe_ways(unsigned ways, const Ccd& ccd, const CacheCapability& l3) {
  std::string text = std::to_string(ways) + " of " + counted(l3.ways(), "way");
  if (ccd.l3_bytes != 0 && l3.ways() != 0) text += ", " + format_bytes(ccd.l3_bytes / l3.ways() * ways);
  return text;
}

}  // namespace bulkhead

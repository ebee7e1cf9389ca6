// SPDX-License-Identifier: Apache-2.0
// ABMC: bandwidth is counted only for those to whom one of the few counters of a domain is assigned.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>

namespace bulkhead::sim {

inline constexpr const char* kNotEnabled = "mbm_event counter assignment mode is not enabled";

class CounterAssignments {
 public:
  explicit CounterAssignments(unsigned counters) : counters_(counters), enabled_(counters > 0) {}

  unsigned counters() const { return counters_; }  // of each domain; 0 where the hardware has none to assign
  bool enabled() const { return enabled_; }        // the mode "mbm_event"
  void enable(bool enabled);                       // what was assigned is no more

  bool assigned(unsigned domain, unsigned rmid, const std::string& event) const;
  bool assign(unsigned domain, unsigned rmid, const std::string& event);  // whether there was one
  void unassign(unsigned domain, unsigned rmid, const std::string& event);
  void unassign_all(unsigned rmid);
  void forget_domain(unsigned domain) { taken_.erase(domain); }
  unsigned available(unsigned domain) const;

  bool on_mkdir() const { return on_mkdir_; }  // new groups get counters
  void set_on_mkdir(bool on) { on_mkdir_ = on; }

 private:
  struct Owner {
    unsigned rmid = 0;
    std::string event;
    auto operator<=>(const Owner&) const = default;
  };

  unsigned counters_;
  bool enabled_;
  bool on_mkdir_ = true;
  std::map<unsigned, std::set<Owner>> taken_;  // by domain
};

}  // namespace bulkhead::sim

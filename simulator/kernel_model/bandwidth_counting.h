// SPDX-License-Identifier: Apache-2.0
// What the bandwidth events count, and for whom: BMEC configures the events of each domain, ABMC has few
// counters, which are assigned to groups. Their files, and the state behind them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/kernel_model/counter_assignments.h"
#include "simulator/kernel_model/counters.h"
#include "simulator/kernel_model/last_command_status.h"
#include "simulator/kernel_model/node.h"
#include "simulator/kernel_model/world.h"

namespace bulkhead::sim {

class BandwidthCounting {
 public:
  // `domains`: the ids of those whose CPUs run.
  BandwidthCounting(const World& world, Counters& counters, LastCommandStatus& status,
                    std::function<CpuSet()> domains);

  std::vector<std::string> events() const;  // those of bandwidth
  Entries information();                    // files of info/L3_MON
  bool is_configurable() const;             // by BMEC, now
  bool assigns() const { return assignments_.counters() > 0; }
  Node assignments_file(unsigned rmid, std::uint64_t identity);  // mbm_L3_assignments
  // The hardware counts nothing for it.
  bool lacks_counter(unsigned domain, unsigned rmid, const std::string& event) const;

  void group_made(unsigned rmid);
  void group_removed(unsigned rmid) { assignments_.unassign_all(rmid); }
  void domain_lost(unsigned domain) { assignments_.forget_domain(domain); }

 private:
  int fail(int error, const std::string& message);
  // event_configuration_files.cpp
  unsigned transactions(unsigned domain, const std::string& event) const;
  std::string print_configuration(const std::string& event) const;
  int write_configuration(const std::string& event, std::string_view text);
  void configure(unsigned domain, const std::string& event, unsigned wanted);
  Entries configuration_files();
  // assignment_files.cpp
  bool assign(unsigned domain, unsigned rmid, const std::string& event);
  int change_assignment(unsigned rmid, const std::string& event, std::string_view domain,
                        std::string_view state);
  int write_assignments(unsigned rmid, std::string_view text);
  Answer print_assignments(unsigned rmid);
  // assignment_information.cpp
  int write_mode(std::string_view text);
  int write_on_mkdir(std::string_view text);
  int write_filter(const std::string& event, std::string_view text);
  std::string print_filter(const std::string& event) const;
  std::string print_counters(bool available) const;
  Node enabled_file(std::function<std::string()> read, std::function<int(std::string_view)> write = nullptr);
  Entries assignment_information();

  const World& world_;
  Counters& counters_;
  LastCommandStatus& status_;
  std::function<CpuSet()> domains_;
  CounterAssignments assignments_;
  std::map<std::pair<unsigned, std::string>, unsigned>
      transactions_;                         // by domain and event, where not the default
  std::map<std::string, unsigned> filters_;  // likewise of assigned counters, by event
};

}  // namespace bulkhead::sim

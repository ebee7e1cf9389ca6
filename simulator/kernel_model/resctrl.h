// SPDX-License-Identifier: Apache-2.0
// A resctrl filesystem: its groups and files, and what happens to them when the world changes. Its parts are
// in files of their own; "..._file.cpp" has what reading and writing that file does.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "simulator/kernel_model/bandwidth_counting.h"
#include "simulator/kernel_model/counters.h"
#include "simulator/kernel_model/last_command_status.h"
#include "simulator/kernel_model/node.h"
#include "simulator/kernel_model/resctrl_state.h"
#include "simulator/kernel_model/rmid_pool.h"

namespace bulkhead::sim {

class Resctrl : public ResctrlState {
 public:
  using Path = std::vector<std::string>;

  explicit Resctrl(World& world);

  int mount(const std::string& options);
  int unmount();
  bool mounted() const { return root_ != nullptr; }
  bool read_only() const { return options_.contains("ro"); }
  std::string shown_options() const;  // ",cdp" as after "rw,relatime" in /proc/mounts
  Node root_directory();
  int rename(const Path& from, const Path& to);  // both below the root

  std::string groups_of(const Task& task) const;  // /proc/PID/cpu_resctrl_groups

  void cpu_went_offline(unsigned cpu);
  void cpu_came_online(unsigned cpu);
  void second_passed();  // limbo is checked, bandwidth counters are read

  Counters& counters() { return counters_; }
  void add_status(const std::string& message) { status_.add(message); }
  unsigned rmid_of(const std::string& group) const;  // by path below the root; the group must be there

 private:
  using Change = std::map<std::string, DomainValues>;  // staged by schema
  // resctrl_mount.cpp
  int parse_options(const std::string& text, std::set<std::string>& options) const;
  void make_schemas();
  void add_cache(const std::string& name, unsigned level, const CacheShape& cache, bool split);
  // resctrl_groups.cpp
  int make_control_group(const std::string& name);
  int make_monitoring_group(Group& parent, const std::string& name);
  int take_closid(unsigned& closid);
  int take_rmid(unsigned& rmid);
  void free_rmid(unsigned rmid);
  void start_counters(unsigned rmid);
  int set_initial_masks(Group& group);
  int set_initial_values(Group& group, const Schema& schema);
  int remove_control_group(Group& group);
  int remove_monitoring_group(Group& group);
  void move_tasks(unsigned closid, unsigned rmid, bool any_rmid, const Group& to);
  // group_rename.cpp
  Group* owner_of(const Path& path) const;
  int may_rename(const Group& group, const Path& from, const Group& target, const Path& to);
  // schemata_file.cpp, schemata_parser.cpp
  std::string print_values(const Group& group, bool sizes) const;
  int write_schemata(Group& group, std::string_view text);
  int parse_schemata(Group& group, std::string_view text, Change& change);
  int parse_line(Group& group, const Schema& schema, std::string_view line, Change& change);
  int parse_mask_value(const Group& group, const Schema& schema, unsigned domain, std::string_view text,
                       std::uint64_t& value);
  int parse_bandwidth(const Schema& schema, std::string_view text, std::uint64_t& value);
  // cpus_file.cpp, tasks_file.cpp, mode_file.cpp
  int write_cpus(Group& group, std::string_view text, bool list);
  int write_control_cpus(Group& group, const CpuSet& wanted);
  int write_monitoring_cpus(Group& group, const CpuSet& wanted);
  std::string print_tasks(const Group& group);
  int write_tasks(Group& group, std::string_view text);
  int move_task(Group& group, std::int64_t id);
  int write_mode(Group& group, std::string_view text);
  int make_exclusive(Group& group);
  // monitoring_files.cpp
  Node monitoring_data(const Group& group);
  Answer read_event(const Group& group, unsigned domain, const std::string& event);
  int write_threshold(std::string_view text);
  // bandwidth_event_file.cpp
  int write_steering_event(Group& group, std::string_view text);
  // info_files.cpp
  Node info_directory();
  Node cache_information(const Schema& schema);
  Node bandwidth_information(const Schema& schema);
  Node monitoring_information();
  std::string bit_usage(const Schema& schema) const;
  // io_allocation.cpp
  void add_io_files(const Schema& schema, Entries& files);
  int write_io(const Schema& schema, std::string_view text);
  int enable_io(const Schema& schema, unsigned closid);
  Answer print_io_masks(const Schema& schema);
  int write_io_masks(const Schema& schema, std::string_view text);
  int parse_io_masks(const Schema& schema, std::string_view text, DomainValues& staged);
  // resctrl_tree.cpp
  Node control_directory(Group& group);
  Node monitoring_directory(Group& group);
  Node monitoring_groups_directory(Group& parent);
  Entries common_files(Group& group);
  Entries group_files(Group& group);  // and what newer kernels add
  Node group_file(Group& group, std::function<std::string()> read,
                  std::function<int(std::string_view)> write = nullptr);
  void command_starts();  // the newest kernels forget the status of the last one then
  int fail(int error, const std::string& message);

  LastCommandStatus status_;
  Counters counters_;
  std::optional<RmidPool> rmids_;
  std::uint64_t threshold_ = 0;  // max_threshold_occupancy, bytes
  BandwidthCounting counting_;
  std::map<unsigned, std::uint64_t> domain_identities_;  // of L3 domains
};

}  // namespace bulkhead::sim

// SPDX-License-Identifier: Apache-2.0
// The kernel of the machine that this runs on, by system calls. Needs root, and takes all of resctrl for
// itself.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/conformance/host.h"
#include "tests/conformance/processes.h"

namespace bulkhead::conformance {

class SystemHost : public Host {
 public:
  SystemHost();

  bool can(Ability ability) const override;
  void clean() override;
  Outcome read(const std::string& path) override;
  Outcome write(const std::string& path, std::string_view text) override;
  Outcome list(const std::string& path) override;
  Outcome mode(const std::string& path) override;
  Outcome make_directory(const std::string& path) override;
  Outcome remove_directory(const std::string& path) override;
  Outcome rename(const std::string& from, const std::string& to) override;
  Outcome create(const std::string& path) override;
  Outcome unlink(const std::string& path) override;
  Outcome mount(const std::string& options) override;
  Outcome unmount() override;
  Outcome open(const std::string& name, const std::string& path) override;
  Outcome read_open(const std::string& name) override;
  Outcome write_open(const std::string& name, std::string_view text) override;
  Outcome self() override;
  Outcome spawn() override { return processes_.spawn(); }
  Outcome thread(unsigned of) override { return processes_.thread(of); }
  Outcome fork(unsigned of) override { return processes_.fork(of); }
  Outcome become_zombie(unsigned process) override { return processes_.become_zombie(process); }
  Outcome end(unsigned task) override { return processes_.end(task); }
  Outcome set_affinity(unsigned task, const std::string& cpus) override;
  void act_as_nobody(bool nobody) override;
  Outcome set_counter(const std::string& group, unsigned domain, const std::string& event,
                      const std::string& units) override;
  Outcome fail_counter(const std::string& group, unsigned domain, const std::string& event,
                       const std::string& state) override;
  void settle() override;
  void wait() override;

 private:
  // system_host_clean.cpp
  void note_settings();
  void clean_cgroups();
  void clean_resctrl();
  void restore(const std::string& path, const std::string& content);
  void refill_ids();
  void await_cpusets();

  Processes processes_;
  std::map<std::string, int> open_;
  std::vector<std::string> cgroups_made_;
  std::map<std::string, std::string> settings_;  // files -> content at first
  std::string mount_options_;                    // at first
  bool mounted_ = false;                         // at first
  bool mounts_changed_ = false;
  unsigned groups_made_ = 0;               // since ids had time to become free again
  std::vector<std::string> counters_set_;  // commands that put them back
};

// What is in a folder, by name, a slash after folders; 0 or an errno.
int names_in(const std::string& path, std::vector<std::string>& names);

}  // namespace bulkhead::conformance

// SPDX-License-Identifier: Apache-2.0
// libpqos, as far as Bulkhead uses it; loaded when it is needed, so that Bulkhead runs where it is not
// installed. It keeps state in globals, ends the process on some errors and takes SIGALRM: it is used in the
// helper process only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controller/pqos/abilities.h"

namespace bulkhead {

class PqosLibrary {
 public:
  PqosLibrary();
  ~PqosLibrary();

  // Throws Error(unsupported) where it is not installed, or is of another version.
  void load();

  // Once. With the OS interface this makes the groups COS1 to COSn, and mounts resctrl where it is not
  // mounted. Error has what the library said.
  PqosAbilities init(PqosInterface interface);

  // All classes, class 0 first.
  std::vector<PqosClass> read();

  void write(unsigned number, const Schemata& values);
  void assign_cpus(unsigned number, const CpuSet& cpus);
  // Threads that have ended are passed over.
  void assign_tasks(unsigned number, const std::vector<unsigned>& tasks);

  // Before any counting. What is counted is written down in `folder`, for whoever comes after this process if
  // it is killed: the registers keep the RMIDs. Those that such a one has left are released; where that would
  // take RMIDs from others as well, this says so.
  std::string prepare_counting(const std::string& folder);
  // CPUs of one L3 are counted together from now on, by a number that the caller gives.
  void start_counting(unsigned id, const CpuSet& cpus);
  void stop_counting(unsigned id);
  std::vector<PqosCount> read_counts();
  // Stops all of it, and ends the library.
  void finish();

 private:
  struct Functions;
  struct Counting;

  void require_ok(int answer, const std::string& what) const;
  unsigned rmid_of(unsigned cpu);
  PqosCount read_count(unsigned id);
  void write_record();
  void write_masks(unsigned number, unsigned id, const Schemata& values);
  void write_bandwidth(unsigned number, unsigned id, unsigned value);
  void read_masks(unsigned id, std::vector<PqosClass>& classes);
  void read_bandwidth(unsigned id, std::vector<PqosClass>& classes);

  std::unique_ptr<Functions> functions_;
  std::unique_ptr<Counting> counting_;
  std::string said_;  // since the last call began
  PqosAbilities abilities_;
};

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// Operations as they come: mostly sensible ones on a few groups and tasks, some that must be refused.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/conformance/case_file.h"

namespace bulkhead::conformance {

struct SoakHost {
  std::string name;
  unsigned cpus = 24;
  std::vector<unsigned> domains;
  unsigned mask_bits = 16;
  unsigned largest_limit = 2048;
  bool exclusive_cpus = false;  // cpusets have cpus.exclusive
};

// Throws Error(invalid) if there is no such host to soak.
SoakHost soak_host(const std::string& name);

class RandomOperations {
 public:
  RandomOperations(SoakHost host, std::uint64_t seed)
      : host_(std::move(host)), random_(seed), isolates_(!host_.exclusive_cpus && seed % 2 == 0) {}

  Operation next();
  // What became of it, which decides what can follow.
  void happened(const Operation& operation, int error);
  static bool changes_cpusets(const Operation& operation);
  std::vector<Operation> cpuset_reads() const;  // of all that a change can touch
  std::vector<Operation> ending() const;        // puts things back that a host cannot clean up

 private:
  using Make = Operation (RandomOperations::*)();
  struct Kind {
    unsigned weight;
    Make make;
  };
  static const std::vector<Kind>& kinds();

  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
  bool one_in(unsigned times) { return below(times) == 0; }
  template <class Value>
  const Value& one_of(const std::vector<Value>& values) {
    return values[below(static_cast<unsigned>(values.size()))];
  }

  std::string control_group();  // a path, "" for the root group's
  std::string group();
  std::string mask();
  std::string limit();
  std::string cpus();
  std::string task();
  std::string cgroup();

  Operation make_group();
  Operation remove_group();
  Operation rename_group();
  Operation write_schemata();
  Operation write_cpus();
  Operation write_tasks();
  Operation write_mode();
  Operation read_group();
  Operation read_task();
  Operation start_task();
  Operation end_task();
  Operation switch_cpu();
  Operation change_cgroup();
  Operation write_cpuset();
  Operation write_partition();
  Operation move_to_cgroup();
  Operation read_cgroup();

  SoakHost host_;
  std::mt19937_64 random_;
  // Linux 6.1 crashes where an isolated partition breaks or mends while a CPU goes offline: of these two, a
  // seed has one there.
  bool isolates_;
  std::vector<std::string> processes_;  // names of the living ones that were spawned
  std::vector<std::string> tasks_;      // of all, the ended ones too
  unsigned tasks_made_ = 0;
  std::vector<unsigned> offline_;
};

}  // namespace bulkhead::conformance

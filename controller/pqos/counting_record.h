// SPDX-License-Identifier: Apache-2.0
// Which CPUs a process counts, and by which RMIDs, in a file that it holds a lock on: one that nobody holds
// is of a process that was killed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "controller/base/unique_fd.h"

namespace bulkhead {

class CountingRecord {
 public:
  using Rmids = std::map<unsigned, unsigned>;  // by CPU

  // The folder need not be there yet. Throws Error.
  explicit CountingRecord(const std::string& folder);
  CountingRecord(const CountingRecord&) = delete;
  CountingRecord& operator=(const CountingRecord&) = delete;
  ~CountingRecord();

  void write(const Rmids& rmids);

  struct Left {
    std::string path;
    Rmids rmids;
  };
  // Of processes that have ended without removing theirs.
  static std::vector<Left> left_in(const std::string& folder);
  static void remove(const Left& left);

 private:
  std::string path_;
  UniqueFd file_;
};

}  // namespace bulkhead

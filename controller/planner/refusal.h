// SPDX-License-Identifier: Apache-2.0
// How the planner says no: an Error that points at the want it is about.
#pragma once

#include <string>
#include <vector>

#include "controller/base/cpu_set.h"
#include "controller/base/error.h"
#include "policies/diagnostic.h"

namespace bulkhead {

[[noreturn]] void refuse(ErrorCode code, const Place& place, std::string message);

// Somebody who holds CPUs, named as messages name it: "proxy", "the foreign group 'vm1'".
struct CpuHolder {
  std::string name;
  CpuSet cpus;
};

std::string name_cpus(const CpuSet& cpus);                        // "CPU 5", "CPUs 0-3,8"
std::string name_ids(std::string_view noun, const CpuSet& ids);   // "CCD 5", "CCDs 0-3"
std::string name_holders(const std::vector<CpuHolder>& holders);  // "db holds CPUs 0-7, web holds CPU 9"
std::string in_words(const std::vector<std::string>& names);      // "a", "a and b", "a, b and c"

// The first few of a long list, then how many more there are: hundreds of holders are no help to anybody.
std::vector<std::string> few_of(std::vector<std::string> parts);

// Appends a note that is not there yet: several CCDs and services have the same to say.
void add_note(std::vector<std::string>& notes, std::string note);

}  // namespace bulkhead

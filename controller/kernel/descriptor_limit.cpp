// SPDX-License-Identifier: Apache-2.0
#include "controller/kernel/descriptor_limit.h"

#include <sys/resource.h>

#include "controller/kernel/paths.h"

namespace bulkhead {

std::size_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  if (limit.rlim_cur < limit.rlim_max) {
    const rlimit raised{limit.rlim_max, limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) return raised.rlim_cur;
  }
  return limit.rlim_cur;
}

std::size_t spare_descriptors(FileSystem& files, std::size_t limit) {
  constexpr std::size_t kForOthers = 512;
  const auto open = files.open_directory(std::string(paths::kOwnDescriptors));
  const std::size_t taken = open->list().size() + kForOthers;
  return limit > taken ? limit - taken : 0;
}

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/open_files.h"

#include <filesystem>

#include "controller/base/text.h"

namespace bulkhead::sim {
namespace {

namespace fs = std::filesystem;

bool leads_below(const fs::path& link, const std::string& folder) {
  std::error_code error;
  const std::string target = fs::read_symlink(link, error);
  return target == folder || target.starts_with(folder + '/');
}

bool holds(const fs::path& process, const std::string& folder) {
  for (const char* name : {"cwd", "root"}) {
    if (leads_below(process / name, folder)) return true;
  }
  std::error_code error;
  const fs::directory_iterator descriptors(process / "fd", error);
  for (auto each = begin(descriptors); each != end(descriptors); each.increment(error)) {
    if (leads_below(each->path(), folder)) return true;
  }
  return false;
}

}  // namespace

bool is_held_open(const std::string& proc, const std::string& folder) {
  std::error_code error;
  const fs::directory_iterator processes(proc, error);
  for (auto each = begin(processes); each != end(processes); each.increment(error)) {
    const bool is_process = parse_integer<unsigned>(each->path().filename().string()).has_value();
    if (is_process && holds(each->path(), folder)) return true;
  }
  return false;
}

}  // namespace bulkhead::sim

// SPDX-License-Identifier: Apache-2.0
#include "cgroup/unit_drop_ins.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <optional>
#include <unistd.h>

#include "controller/base/error.h"
#include "controller/base/text.h"

namespace bulkhead {
namespace {

// Of units with files of their own, and of those that programs have started.
constexpr std::array<const char*, 2> kPlaces{"/system.control/", "/transient/"};

// What unit files say of a property: assignments add up, and an empty one drops those before it. Nothing
// where that is not to be understood.
std::optional<CpuSet> said_in(const std::vector<std::string>& paths, const std::string& except,
                              std::string_view property) {
  CpuSet said;
  for (const std::string& path : paths) {
    if (path == except) continue;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      const auto equals = line.find('=');
      if (equals == std::string::npos || trim(line.substr(0, equals)) != property) continue;
      std::string list(trim(std::string_view(line).substr(equals + 1)));
      std::replace(list.begin(), list.end(), ' ', ',');  // which separates, too
      try {
        said = list.empty() ? CpuSet{} : said | CpuSet::parse_list(list);
      } catch (const Error&) {
        return std::nullopt;
      }
    }
  }
  return said;
}

bool remove_file(const std::string& path) {
  if (::unlink(path.c_str()) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  throw Error::from_errno(errno, "cannot remove what systemd keeps of a limit that was lifted", path);
}

bool remove_if_needless(const std::string& drop_in, const UnitFiles& files, std::string_view property,
                        const CpuSet& limit) {
  const bool used = std::find(files.paths.begin(), files.paths.end(), drop_in) != files.paths.end();
  return used && said_in(files.paths, drop_in, property) == limit && remove_file(drop_in);
}

}  // namespace

bool remove_needless_drop_ins(const std::string& folder, const UnitFiles& files) {
  bool removed = false;
  for (const char* place : kPlaces) {
    const std::string above = folder + place;
    const std::string drop_ins = above + files.unit + ".d";
    const auto remove = [&](const std::string& property, const CpuSet& limit) {
      return remove_if_needless(drop_ins + "/50-" + property + ".conf", files, property, limit);
    };
    const bool cpus = remove("AllowedCPUs", files.limits.cpus);
    const bool nodes = remove("AllowedMemoryNodes", files.limits.memory_nodes);
    if (!cpus && !nodes) continue;
    removed = true;
    // Folders in which others have something stay.
    if (::rmdir(drop_ins.c_str()) == 0) ::rmdir(above.c_str());
  }
  return removed;
}

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "cgroup/units.h"

#include <algorithm>
#include <array>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/kernel/paths.h"

namespace bulkhead {
namespace {

constexpr std::string_view kCpus = "AllowedCPUs=";
constexpr std::string_view kNodes = "AllowedMemoryNodes=";
constexpr std::array<std::string_view, 6> kSuffixes{".service", ".scope", ".slice",
                                                    ".socket",  ".mount", ".swap"};

}  // namespace

std::string to_text(const UnitLimits& limits) {
  return std::string(kCpus) + limits.cpus.to_list() + ' ' + std::string(kNodes) +
         limits.memory_nodes.to_list();
}

UnitLimits parse_unit_limits(std::string_view text) {
  const auto words = split(text, ' ');
  if (words.size() != 2 || !words[0].starts_with(kCpus) || !words[1].starts_with(kNodes)) {
    throw Error(ErrorCode::invalid,
                "'" + std::string(text) + "' is not of the form 'AllowedCPUs=LIST AllowedMemoryNodes=LIST'");
  }
  return {.cpus = CpuSet::parse_list(words[0].substr(kCpus.size())),
          .memory_nodes = CpuSet::parse_list(words[1].substr(kNodes.size()))};
}

bool is_unit_name(std::string_view name) {
  return std::any_of(kSuffixes.begin(), kSuffixes.end(), [&](std::string_view suffix) {
    return name.size() > suffix.size() && name.ends_with(suffix);
  });
}

std::string cgroup_of_slice(std::string_view name) {
  constexpr std::string_view kSuffix = ".slice";
  if (name == "-.slice" || !name.ends_with(kSuffix)) return "/";
  const std::string_view stem = name.substr(0, name.size() - kSuffix.size());
  std::string path;
  for (std::size_t dash = stem.find('-'); dash != std::string_view::npos; dash = stem.find('-', dash + 1)) {
    path += '/' + std::string(stem.substr(0, dash)) + std::string(kSuffix);
  }
  return path + '/' + std::string(name);
}

bool runs_systemd(FileSystem& files) {
  const auto mark = files.open_directory_if_there(std::string(paths::kSystemdMark));
  return mark && mark->exists("system");
}

}  // namespace bulkhead

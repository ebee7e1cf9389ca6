// SPDX-License-Identifier: Apache-2.0
#include "cgroup/cgroup_walk.h"

#include <cerrno>

#include "cgroup/hierarchy.h"
#include "controller/base/error.h"
#include "controller/base/text.h"

namespace bulkhead {
namespace {

// Reading cgroup.procs inside of a threaded subtree is refused; its processes are listed by the subtree's
// root.
std::string read_list(Directory& root, const std::string& path, std::string_view file) {
  try {
    return root.read_if_there(file_in_cgroup(path, file)).value_or("");
  } catch (const Error& error) {
    if (error.detail().error_number == EOPNOTSUPP) return {};
    throw;
  }
}

void add_ids(std::string_view text, std::set<unsigned>& ids) {
  for (const std::string_view line : split(text, '\n')) {
    // 0 is a process that this process's pid namespace does not show.
    if (const auto id = parse_integer<unsigned>(trim(line)); id && *id != 0) ids.insert(*id);
  }
}

}  // namespace

std::vector<std::string> CgroupWalk::matching(const std::string& pattern) {
  const auto wildcard = pattern.find_first_of("*?");
  std::vector<std::string> found;
  if (wildcard == std::string::npos) {
    if (pattern == "/" || (pattern.size() > 1 && root_.exists(pattern.substr(1)))) found.push_back(pattern);
    return found;
  }
  const auto slash = pattern.rfind('/', wildcard);
  const std::string start = slash == 0 || slash == std::string::npos ? "/" : pattern.substr(0, slash);
  search(start, pattern, false, found);
  return found;
}

std::vector<std::string> CgroupWalk::named(const std::string& name) {
  std::vector<std::string> found;
  search("/", name, true, found);
  return found;
}

void CgroupWalk::search(const std::string& path, const std::string& pattern, bool by_name,
                        std::vector<std::string>& found) {
  for (const std::string& child : children_of(root_, path)) {
    if (child.starts_with(kOwnCgroupPrefix)) continue;  // no service's: we made it
    const bool matches =
        by_name ? child.substr(child.rfind('/') + 1) == pattern : matches_pattern(child, pattern);
    if (matches) {
      found.push_back(child);
    } else {
      search(child, pattern, by_name, found);
    }
  }
}

void CgroupWalk::collect(const std::string& path, Members& members) {
  add_ids(read_list(root_, path, "cgroup.procs"), members.processes);
  // cgroup v1 calls it tasks.
  const std::string_view threads = root_.exists(file_in_cgroup(path, "tasks")) ? "tasks" : "cgroup.threads";
  add_ids(read_list(root_, path, threads), members.threads);
  for (const std::string& child : children_of(root_, path)) collect(child, members);
}

}  // namespace bulkhead

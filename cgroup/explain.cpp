// SPDX-License-Identifier: Apache-2.0
#include "cgroup/explain.h"

#include <algorithm>
#include <cerrno>

#include "controller/base/text.h"

namespace bulkhead {
namespace {

bool has_word(std::string_view text, std::string_view word) {
  const auto words = split(trim(text), ' ');
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string type_of(Directory& root, const std::string& path) {
  // The root has no cgroup.type; it is a domain.
  return std::string(trim(root.read_if_there(file_in_cgroup(path, "cgroup.type")).value_or("domain")));
}

// The cgroup above `path` whose processes spread their threads over the subtree.
std::string threaded_root_of(Directory& root, const std::string& path) {
  std::string above = parent_cgroup(path);
  while (above != "/" && type_of(root, above) != "domain threaded") above = parent_cgroup(above);
  return above;
}

Error with_reason(const Error& error, ErrorCode code, const std::string& reason) {
  ErrorDetail detail = error.detail();
  detail.code = code;
  detail.message += ": " + reason;
  return Error(std::move(detail));
}

[[noreturn]] void cannot_enable(Directory& root, const std::string& path, const std::string& reason) {
  throw Error(ErrorDetail{.code = ErrorCode::unsupported,
                          .message = "cpuset cannot be enabled below " + path + ": " + reason,
                          .path = root.path() + '/' + file_in_cgroup(path, "cgroup.subtree_control")});
}

std::size_t own_processes(Directory& root, const std::string& path) {
  const std::string content = root.read_if_there(file_in_cgroup(path, "cgroup.procs")).value_or("");
  return split(content, '\n').size();
}

std::string effective_list(Directory& root, CgroupVersion version, const std::string& path, bool of_cpus) {
  const ObservedCpuset cpuset = read_cpuset(root, version, path);
  const CpuSet& set = of_cpus ? cpuset.effective_cpus : cpuset.effective_memory_nodes;
  return set.empty() ? "none" : set.to_list();
}

}  // namespace

void check_cpuset_can_be_enabled(Directory& root, const std::string& path) {
  if (!root.exists(path == "/" ? "cgroup.controllers" : path.substr(1))) {
    throw Error::from_errno(ENOENT, "there is no such cgroup", root.path() + path);
  }
  const std::string type = type_of(root, path);
  if (type == "domain invalid") {
    cannot_enable(root, path,
                  "it is inside the threaded subtree of " + threaded_root_of(root, path) +
                      " and not threaded itself, so it can hold no processes; confine " +
                      threaded_root_of(root, path) + " as a whole");
  }
  const std::string controllers = root.read_if_there(file_in_cgroup(path, "cgroup.controllers")).value_or("");
  if (!has_word(controllers, "cpuset")) {
    cannot_enable(root, path,
                  path == "/" ? std::string("this tree has no cpuset controller")
                              : "the subtree_control of " + parent_cgroup(path) + " lacks cpuset");
  }
  // With processes of its own it would become the root of a threaded subtree, where its children could hold
  // none.
  if (path == "/" || type != "domain") return;
  if (const std::size_t count = own_processes(root, path); count > 0) {
    cannot_enable(root, path,
                  counted(count, "process") + (count == 1 ? " is" : " are") +
                      " in it beside its child cgroups, which could hold no processes then; move " +
                      (count == 1 ? "that" : "those") + " into a child cgroup, or confine " + path +
                      " as a whole");
  }
}

std::unique_ptr<File> open_cpuset_file(Directory& root, const std::string& path, std::string_view file) {
  try {
    return root.open(file_in_cgroup(path, file), Access::read_write);
  } catch (const Error& error) {
    if (error.detail().error_number != ENOENT || !root.exists(path.substr(1))) throw;
    throw with_reason(error, ErrorCode::conflict,
                      "cpuset is not enabled in the subtree_control of " + parent_cgroup(path));
  }
}

Error explain_cpuset_refusal(const Error& error, Directory& root, CgroupVersion version,
                             const std::string& path, std::string_view file) {
  const bool of_cpus = file == "cpuset.cpus";
  const std::string noun = of_cpus ? "CPUs" : "memory nodes";
  const std::string parent = parent_cgroup(path);
  switch (error.detail().error_number) {
    case ENOSPC:
      return with_reason(error, ErrorCode::refused,
                         "processes in " + path + " would be left without " + noun + "; its parent " +
                             parent + " has " + effective_list(root, version, parent, of_cpus));
    case EACCES:
      if (version != CgroupVersion::v1) break;
      return with_reason(error, ErrorCode::refused,
                         "on cgroup v1 a cpuset must be a part of its parent's, and " + parent + " has " +
                             effective_list(root, version, parent, of_cpus));
    case EBUSY:
      if (version != CgroupVersion::v1) break;
      return with_reason(error, ErrorCode::refused,
                         "on cgroup v1 a cpuset must hold those of its children, and a child of " + path +
                             " uses " + noun + " that this takes away");
    case EINVAL:
    case ERANGE:
      return with_reason(error, ErrorCode::refused,
                         "it names " + noun +
                             " that the machine lacks, or that an exclusive cpuset holds; all are " +
                             effective_list(root, version, "/", of_cpus));
    default:
      break;
  }
  return error;
}

Error explain_move_refusal(const Error& error, Directory& root, CgroupVersion version,
                           const std::string& path) {
  switch (error.detail().error_number) {
    case ENOSPC:
      return with_reason(
          error, ErrorCode::refused,
          path + (version == CgroupVersion::v1 ? " needs CPUs and memory nodes of its own first"
                                               : " has no effective CPUs or memory nodes"));
    case EOPNOTSUPP:
      return with_reason(error, ErrorCode::refused,
                         path + " is of type '" + type_of(root, path) +
                             "', as it is inside the threaded subtree of " + threaded_root_of(root, path));
    case EBUSY:
      return with_reason(
          error, ErrorCode::refused,
          "controllers are enabled for the children of " + path + ", so processes can be only there");
    case EINVAL:
      return with_reason(error, ErrorCode::refused, "it is a kernel thread that is bound to its CPU");
    default:
      return error;
  }
}

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// Operations on names of which the modelled filesystems allow few: files are the kernel's to make and remove.
#include <algorithm>
#include <cerrno>

#include "controller/base/text.h"
#include "simulator/kernel_model/kernel_model.h"

namespace bulkhead::sim {
namespace {

const std::vector<std::string> kResctrl{"sys", "fs", "resctrl"};
const std::vector<std::string> kCgroups{"sys", "fs", "cgroup"};
const std::vector<std::string> kCpusets{"sys", "fs", "cgroup", "cpuset"};  // where v1 has them

bool is_below(const std::vector<std::string>& path, const std::vector<std::string>& folder) {
  return path.size() > folder.size() && std::equal(folder.begin(), folder.end(), path.begin());
}

std::vector<std::string> below(const std::vector<std::string>& path, const std::vector<std::string>& folder) {
  return {path.begin() + static_cast<std::ptrdiff_t>(folder.size()), path.end()};
}

}  // namespace

int KernelModel::create_file(const std::string& path) {
  std::vector<std::string> parts = parts_of(path);
  int error = 0;
  const Node there = walk(root_directory(), parts, error);
  if (there.kind == NodeKind::directory) return EISDIR;
  if (there.kind != NodeKind::absent) return there.write ? 0 : EACCES;
  parts.pop_back();
  const Node folder = walk(root_directory(), parts, error);
  if (error != 0) return error;
  if (folder.kind != NodeKind::directory) return ENOTDIR;
  return is_below(parts_of(path), kResctrl) && resctrl_.read_only() ? EROFS : EACCES;
}

int KernelModel::remove_file(const std::string& path) {
  int error = 0;
  const Node node = find(path, error, false);
  if (error != 0) return error;
  if (node.kind == NodeKind::directory) return EISDIR;
  return is_below(parts_of(path), kResctrl) && resctrl_.read_only() ? EROFS : EPERM;
}

// In the order in which Linux looks: folders, filesystems, the two names, and only then the filesystem
// decides.
int KernelModel::rename(const std::string& from, const std::string& to) {
  const std::vector<std::string> source = parts_of(from);
  const std::vector<std::string> target = parts_of(to);
  if (source.empty() || target.empty()) return EBUSY;
  int error = 0;
  for (const auto* path : {&source, &target}) {
    const Node folder = walk(root_directory(), {path->begin(), path->end() - 1}, error);
    if (error != 0) return error;
    if (folder.kind != NodeKind::directory) return ENOTDIR;
  }
  for (const auto* filesystem : {&kResctrl, &kCgroups}) {
    if (is_below(source, *filesystem) != is_below(target, *filesystem)) return EXDEV;
  }
  const NodeKind moved = walk(root_directory(), source, error).kind;
  if (error != 0) return error;
  if (is_below(target, source)) return EINVAL;
  if (is_below(source, target)) return ENOTEMPTY;
  if (source == target) return 0;
  const NodeKind there = walk(root_directory(), target, error).kind;
  if (there == NodeKind::file && moved == NodeKind::directory) return ENOTDIR;
  if (there == NodeKind::directory && moved != NodeKind::directory) return EISDIR;
  if (v1_ && is_below(source, kCpusets) && is_below(target, kCpusets)) {
    return v1_->rename(below(source, kCpusets), below(target, kCpusets));
  }
  if (!is_below(source, kResctrl)) return EPERM;
  if (resctrl_.read_only()) return EROFS;
  return resctrl_.rename(below(source, kResctrl), below(target, kResctrl));
}

}  // namespace bulkhead::sim

// SPDX-License-Identifier: Apache-2.0
#include "simulator/kernel_model/kernel_model.h"

#include <algorithm>
#include <cerrno>

#include "controller/base/text.h"

namespace bulkhead::sim {
namespace {

constexpr std::size_t kLargestWrite = 4096;  // bytes, to files of resctrl and cgroups
constexpr std::string_view kResctrlPath = "/sys/fs/resctrl";
constexpr std::string_view kProc = "/proc/";

bool is_at_or_below(const std::string& path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

// Where links are followed: each of them stands in /proc and points to something there.
Node KernelModel::find(const std::string& path, int& error, bool follow_last) {
  std::vector<std::string> parts = parts_of(path);
  if (parts.size() > 1 && parts[0] == "proc") {
    if (parts[1] == "mounts" && (follow_last || parts.size() > 2)) {
      parts[1] = "self";
      parts.insert(parts.begin() + 2, "mounts");
    }
    if (parts[1] == "self" && (follow_last || parts.size() > 2)) parts[1] = std::to_string(world_.writer);
  }
  return walk(root_directory(), parts, error);
}

NodeKind KernelModel::kind(const std::string& path) {
  int error = 0;
  return find(path, error).kind;
}

Facts KernelModel::facts(const std::string& path) {
  int error = 0;
  const Node node = find(path, error, false);
  return {error, node.kind, node.write != nullptr, node.identity};
}

// All modelled files and folders are root's, and no one else may write them.
bool KernelModel::writer_is_root() const {
  return world_.calling_user() == 0;
}

Handle KernelModel::open(const std::string& path, OpenFor access) {
  int error = 0;
  const Node node = find(path, error);
  if (error != 0) return {error, {}, 0};
  if (node.kind != NodeKind::file) return {EISDIR, {}, 0};
  if (access == OpenFor::writing) {
    if (is_at_or_below(path, kResctrlPath) && resctrl_.read_only()) return {EROFS, {}, 0};
    if (!node.write || !writer_is_root()) return {EACCES, {}, 0};
  }
  if (node.refuse_open) error = node.refuse_open();
  return {error, path, node.identity};
}

Handle KernelModel::open_directory(const std::string& path) {
  int error = 0;
  const Node node = find(path, error);
  if (error == 0 && node.kind != NodeKind::directory) error = ENOTDIR;
  return {error, path, node.identity};
}

bool KernelModel::is_gone(const Handle& handle) const {
  int error = 0;
  // Looking up changes nothing, but makes nodes through which things could be changed.
  const Node node = const_cast<KernelModel*>(this)->find(handle.path, error);
  return error != 0 || node.identity != handle.identity;
}

Answer KernelModel::read(const Handle& handle) {
  int error = 0;
  const Node node = find(handle.path, error);
  const bool gone = error != 0 || node.identity != handle.identity;
  if (gone) return {handle.path.starts_with(kProc) ? ESRCH : ENODEV, {}};
  return node.read();
}

int KernelModel::write(const Handle& handle, std::string_view text) {
  if (is_gone(handle)) return ENODEV;
  if (text.size() > kLargestWrite) return E2BIG;
  int error = 0;
  return find(handle.path, error).write(text);
}

Answer KernelModel::read(const std::string& path) {
  const Handle handle = open(path, OpenFor::reading);
  return handle.error != 0 ? Answer{handle.error, {}} : read(handle);
}

int KernelModel::write(const std::string& path, std::string_view text) {
  const Handle handle = open(path, OpenFor::writing);
  return handle.error != 0 ? handle.error : write(handle, text);
}

Listing KernelModel::list(const std::string& path) {
  int error = 0;
  const Node node = find(path, error);
  if (error == 0 && node.kind != NodeKind::directory) error = ENOTDIR;
  if (error != 0) return {error, {}};
  Listing listing;
  for (const std::string& name : node.names()) {
    listing.entries.push_back({name, node.child(name).kind == NodeKind::directory});
  }
  std::ranges::sort(listing.entries, {}, &Entry::name);
  return listing;
}

Answer KernelModel::read_link(const std::string& path) {
  int error = 0;
  const Node node = find(path, error, false);
  if (error != 0) return {error, {}};
  if (node.kind != NodeKind::link) return {EINVAL, {}};
  return node.target.empty() ? Answer{ENOENT, {}} : Answer{0, node.target};
}

int KernelModel::make_directory(const std::string& path) {
  std::vector<std::string> parts = parts_of(path);
  int error = 0;
  if (parts.empty() || walk(root_directory(), parts, error).kind != NodeKind::absent) return EEXIST;
  const std::string name = parts.back();
  parts.pop_back();
  const Node parent = walk(root_directory(), parts, error);
  if (error != 0) return error;
  if (parent.kind != NodeKind::directory) return ENOTDIR;
  if (is_at_or_below(path, kResctrlPath) && resctrl_.read_only()) return EROFS;
  if (!writer_is_root()) return EACCES;
  return parent.make_directory ? parent.make_directory(name) : EPERM;
}

int KernelModel::remove_directory(const std::string& path) {
  int error = 0;
  const Node node = find(path, error);
  if (error != 0) return error;
  if (node.kind != NodeKind::directory) return ENOTDIR;
  for (const std::string_view mount_point : {"/", "/proc", "/sys", "/sys/fs/cgroup", "/sys/fs/resctrl"}) {
    if (path == mount_point) return EBUSY;
  }
  if (is_at_or_below(path, kResctrlPath) && resctrl_.read_only()) return EROFS;
  if (!writer_is_root()) return EACCES;
  return node.remove_directory ? node.remove_directory() : EPERM;
}

int KernelModel::mount(const std::string& type, const std::string& target, const std::string& options) {
  if (type != "resctrl") return ENODEV;
  if (kind(target) != NodeKind::directory) return ENOENT;
  return resctrl_.mount(options);
}

int KernelModel::unmount(const std::string& target) {
  if (kind(target) != NodeKind::directory) return ENOENT;
  return target == kResctrlPath ? resctrl_.unmount() : EBUSY;
}

}  // namespace bulkhead::sim

// SPDX-License-Identifier: Apache-2.0
#include "simulator/fuse/fuse_operations.h"

#define FUSE_USE_VERSION 312
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fuse3/fuse.h>
#include <mutex>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "simulator/fuse/served_tree.h"

namespace bulkhead::sim {
namespace {

ServedTree& tree() {
  return *static_cast<Served*>(fuse_get_context()->private_data)->tree;
}

Caller caller() {
  const fuse_context& context = *fuse_get_context();
  return {static_cast<unsigned>(context.pid), context.uid};
}

// What one reader reads in parts is what stood there when it began, as with the kernel's own files.
struct OpenFile {
  std::string path;
  std::unique_ptr<ServedFile> file;  // none for a folder
  OpenModes modes;
  std::mutex mutex;
  std::string content;
};

OpenFile& opened(const fuse_file_info* info) {
  return *std::bit_cast<OpenFile*>(info->fh);
}

std::uint64_t inode_of(const std::string& path, std::uint64_t identity) {
  constexpr std::uint64_t kBasis = 14695981039346656037U, kPrime = 1099511628211U;  // FNV-1a
  std::uint64_t hash = kBasis ^ identity;
  for (const char byte : path) hash = (hash ^ static_cast<unsigned char>(byte)) * kPrime;
  return hash | 1U;  // 0 is no inode
}

std::string below(const std::string& path, const std::string& name) {
  return path == "/" ? path + name : path + '/' + name;
}

mode_t mode_of(const Facts& facts) {
  constexpr mode_t kReadOnly = 0444, kWritable = 0644, kFolder = 0755, kLink = 0777;
  switch (facts.kind) {
    case NodeKind::directory:
      return S_IFDIR | kFolder;
    case NodeKind::link:
      return S_IFLNK | kLink;
    default:
      return S_IFREG | (facts.writable ? kWritable : kReadOnly);
  }
}

void* start(fuse_conn_info*, fuse_config* config) {
  config->use_ino = 1;
  config->direct_io = 1;  // a write's error is write(2)'s
  config->nullpath_ok = 1;
  const auto* served = static_cast<Served*>(fuse_get_context()->private_data);
  config->entry_timeout = config->attr_timeout = served->cache_seconds;
  config->negative_timeout = served->cache_seconds;
  return fuse_get_context()->private_data;
}

// libfuse gives no path where there is an open file: it may not be there any more.
int get_attributes(const char* name, struct stat* status, fuse_file_info* info) {
  *status = {};
  const std::string path = name != nullptr ? name : opened(info).path;
  const Facts facts = tree().facts(path, caller());
  if (facts.error != 0) return -facts.error;
  status->st_ino = inode_of(path, facts.identity);
  status->st_mode = mode_of(facts);
  status->st_nlink = facts.kind == NodeKind::directory ? 2 : 1;
  return 0;
}

int read_link(const char* path, char* buffer, std::size_t size) {
  const Answer answer = tree().read_link(path, caller());
  if (answer.error != 0) return -answer.error;
  const std::size_t length = std::min(answer.text.size(), size - 1);
  std::memcpy(buffer, answer.text.data(), length);
  buffer[length] = '\0';
  return 0;
}

int list(const char*, void* buffer, fuse_fill_dir_t fill, off_t, fuse_file_info* info, fuse_readdir_flags) {
  const std::string& path = opened(info).path;
  const Listing listing = tree().list(path, caller());
  if (listing.error != 0) return -listing.error;
  const auto add = [&](const std::string& name, const std::string& of, mode_t type) {
    struct stat status {};
    status.st_ino = inode_of(of, 0);
    status.st_mode = type;
    fill(buffer, name.c_str(), &status, 0, static_cast<fuse_fill_dir_flags>(0));
  };
  add(".", path, S_IFDIR);
  add("..", path, S_IFDIR);
  for (const Entry& entry : listing.entries) {
    add(entry.name, below(path, entry.name), entry.is_directory ? S_IFDIR : S_IFREG);
  }
  return 0;
}

int keep(std::unique_ptr<OpenFile> file, fuse_file_info* info) {
  info->fh = std::bit_cast<std::uint64_t>(file.release());
  return 0;
}

int open_folder(const char* path, fuse_file_info* info) {
  auto folder = std::make_unique<OpenFile>();
  folder->path = path;
  return keep(std::move(folder), info);
}

int open(const char* path, fuse_file_info* info) {
  const bool writes = (info->flags & O_ACCMODE) != O_RDONLY;
  Opened answer = tree().open(path, writes ? OpenFor::writing : OpenFor::reading, caller());
  if (answer.error != 0) return -answer.error;
  auto file = std::make_unique<OpenFile>();
  file->path = path;
  file->file = std::move(answer.file);
  file->modes = {.reads = (info->flags & O_ACCMODE) != O_WRONLY, .writes = writes};
  return keep(std::move(file), info);
}

int release(const char*, fuse_file_info* info) {
  const std::unique_ptr<OpenFile> file(&opened(info));
  return 0;
}

int read(const char*, char* buffer, std::size_t size, off_t offset, fuse_file_info* info) {
  OpenFile& file = opened(info);
  const std::lock_guard lock(file.mutex);
  const auto from = static_cast<std::size_t>(offset);
  if (from == 0) {
    Answer answer = file.file->read(caller());
    if (answer.error != 0) return -answer.error;
    file.content = std::move(answer.text);
  }
  if (from >= file.content.size()) return 0;
  const std::size_t length = std::min(size, file.content.size() - from);
  file.content.copy(buffer, length, from);
  return static_cast<int>(length);
}

int write(const char*, const char* text, std::size_t size, off_t, fuse_file_info* info) {
  const int error = opened(info).file->write({text, size}, caller());
  return error != 0 ? -error : static_cast<int>(size);
}

int control(const char*, unsigned command, void*, fuse_file_info* info, unsigned, void* data) {
  std::string exchanged(static_cast<char*>(data), _IOC_SIZE(command));
  const OpenFile& file = opened(info);
  const int error = file.file->control(command, exchanged, file.modes);
  if (error != 0) return -error;
  std::memcpy(data, exchanged.data(), exchanged.size());
  return 0;
}

// Kernel files have no size: cutting them to one (O_TRUNC) changes nothing, and is no error.
int truncate(const char*, off_t, fuse_file_info*) {
  return 0;
}

int make_directory(const char* path, mode_t) {
  return -tree().make_directory(path, caller());
}

int remove_directory(const char* path) {
  return -tree().remove_directory(path, caller());
}

int rename(const char* from, const char* to, unsigned flags) {
  return flags != 0 ? -EINVAL : -tree().rename(from, to, caller());
}

int make_file(const char* path, mode_t, fuse_file_info* info) {
  const int error = tree().create_file(path, caller());
  return error != 0 ? -error : open(path, info);
}

int remove_file(const char* path) {
  return -tree().remove_file(path, caller());
}

// The kernel's own filesystems have no links and devices to make.
int make_link(const char*, const char*) {
  return -EPERM;
}
int make_node(const char*, mode_t, dev_t) {
  return -EPERM;
}

// Owners, modes and times may be set on kernel files; here nobody remembers them.
int change_mode(const char*, mode_t, fuse_file_info*) {
  return 0;
}
int change_owner(const char*, uid_t, gid_t, fuse_file_info*) {
  return 0;
}
int change_times(const char*, const timespec*, fuse_file_info*) {
  return 0;
}

fuse_operations make_operations() {
  fuse_operations table{};
  table.init = start;
  table.getattr = get_attributes;
  table.readlink = read_link;
  table.opendir = open_folder;
  table.readdir = list;
  table.releasedir = release;
  table.open = open;
  table.release = release;
  table.read = read;
  table.write = write;
  table.ioctl = control;
  table.truncate = truncate;
  table.mkdir = make_directory;
  table.rmdir = remove_directory;
  table.rename = rename;
  table.create = make_file;
  table.unlink = remove_file;
  table.symlink = make_link;
  table.link = make_link;
  table.mknod = make_node;
  table.chmod = change_mode;
  table.chown = change_owner;
  table.utimens = change_times;
  return table;
}

}  // namespace

int ServedFile::control(unsigned long, std::string&, const OpenModes&) {
  return ENOTTY;
}

const fuse_operations& fuse_operations_of_tree() {
  static const fuse_operations table = make_operations();
  return table;
}

}  // namespace bulkhead::sim

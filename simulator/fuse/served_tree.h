// SPDX-License-Identifier: Apache-2.0
// What a FUSE mount shows: files by absolute path, and what system calls on them answer. Calls come from
// several threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/kernel_model/kernel_model.h"

namespace bulkhead::sim {

struct Caller {
  unsigned thread = 0;  // as the mount's PID namespace numbers it
  unsigned user = 0;
};

struct OpenModes {
  bool reads = true;
  bool writes = false;
};

// An open file, for as long as a descriptor of it lives.
class ServedFile {
 public:
  virtual ~ServedFile() = default;
  virtual Answer read(const Caller& caller) = 0;  // the whole content, as of now
  virtual int write(std::string_view text, const Caller& caller) = 0;
  // `data` is what the caller passed, and is changed to what it gets.
  virtual int control(unsigned long command, std::string& data, const OpenModes& modes);
};

struct Opened {
  int error = 0;
  std::unique_ptr<ServedFile> file;
};

class ServedTree {
 public:
  virtual ~ServedTree() = default;
  virtual Facts facts(const std::string& path, const Caller& caller) = 0;
  virtual Listing list(const std::string& path, const Caller& caller) = 0;
  virtual Answer read_link(const std::string& path, const Caller& caller) = 0;
  virtual Opened open(const std::string& path, OpenFor access, const Caller& caller) = 0;
  virtual int create_file(const std::string& path, const Caller& caller) = 0;
  virtual int remove_file(const std::string& path, const Caller& caller) = 0;
  virtual int make_directory(const std::string& path, const Caller& caller) = 0;
  virtual int remove_directory(const std::string& path, const Caller& caller) = 0;
  virtual int rename(const std::string& from, const std::string& to, const Caller& caller) = 0;
};

}  // namespace bulkhead::sim

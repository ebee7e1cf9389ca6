// SPDX-License-Identifier: Apache-2.0
// The file gateway with the modelled kernel behind it, and errors as the real one has them.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "controller/kernel/file_system.h"
#include "simulator/kernel_model/scripted_kernel.h"

namespace bulkhead::testing {

class ModelFileSystem : public FileSystem {
 public:
  explicit ModelFileSystem(sim::ScriptedKernel& kernel) : kernel_(kernel) {}

  std::unique_ptr<Directory> open_directory(const std::string& path) override;
  void mount(const std::string& type, const std::string& target, const std::string& options) override;

  // Another program takes the flock of a directory; Directory::lock fails at once, as no time passes here.
  void hold_lock(const std::string& path) { locks_->insert(path); }
  void release_lock(const std::string& path) { locks_->erase(path); }
  bool is_locked(const std::string& path) const { return locks_->contains(path); }

 private:
  sim::ScriptedKernel& kernel_;
  std::shared_ptr<std::set<std::string>> locks_ = std::make_shared<std::set<std::string>>();
};

}  // namespace bulkhead::testing

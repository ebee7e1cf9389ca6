// SPDX-License-Identifier: Apache-2.0
// The kernel model in memory; a new one for each case.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simulator/kernel_model/kernel_model.h"
#include "tests/conformance/case_file.h"
#include "tests/conformance/host.h"

namespace bulkhead::conformance {

// The model's host of that name and kernel; nothing is known by other names.
sim::KernelShape shape_of(const std::string& host, sim::Generation generation);

struct ModelledKernel {
  sim::Generation generation;
  KernelVersion version;
};
inline constexpr ModelledKernel kModelledKernels[] = {{sim::Generation::linux_6_1, {6, 1}},
                                                      {sim::Generation::linux_6_12, {6, 12}},
                                                      {sim::Generation::linux_7, {7, 3}}};

class ModelHost : public Host {
 public:
  explicit ModelHost(sim::KernelShape shape) : shape_(std::move(shape)) { clean(); }

  bool can(Ability) const override { return true; }
  void clean() override;
  Outcome read(const std::string& path) override;
  Outcome write(const std::string& path, std::string_view text) override;
  Outcome list(const std::string& path) override;
  Outcome mode(const std::string& path) override;
  Outcome make_directory(const std::string& path) override;
  Outcome remove_directory(const std::string& path) override;
  Outcome rename(const std::string& from, const std::string& to) override;
  Outcome create(const std::string& path) override;
  Outcome unlink(const std::string& path) override;
  Outcome mount(const std::string& options) override;
  Outcome unmount() override;
  Outcome open(const std::string& name, const std::string& path) override;
  Outcome read_open(const std::string& name) override;
  Outcome write_open(const std::string& name, std::string_view text) override;
  Outcome self() override;
  Outcome spawn() override;
  Outcome thread(unsigned of) override;
  Outcome fork(unsigned of) override;
  Outcome become_zombie(unsigned process) override;
  Outcome end(unsigned task) override;
  Outcome set_affinity(unsigned task, const std::string& cpus) override;
  void act_as_nobody(bool nobody) override;
  Outcome set_counter(const std::string& group, unsigned domain, const std::string& event,
                      const std::string& units) override;
  Outcome fail_counter(const std::string& group, unsigned domain, const std::string& event,
                       const std::string& state) override;
  void settle() override {}
  void wait() override;

 private:
  sim::KernelShape shape_;
  std::unique_ptr<sim::KernelModel> kernel_;
  unsigned root_ = 0;    // the process that acts
  unsigned nobody_ = 0;  // and the other one, made when it is needed
  std::map<std::string, sim::Handle> open_;
};

}  // namespace bulkhead::conformance

// SPDX-License-Identifier: Apache-2.0
// An engine on a modelled host, with a directory of its own for its state.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "controller/base/error.h"
#include "controller/engine/engine.h"
#include "controller/topology/machine_file.h"
#include "simulator/kernel_model/scripted_kernel.h"
#include "tests/support/host_snapshot.h"
#include "tests/support/model_file_system.h"

namespace bulkhead::testing {

class EngineTest : public ::testing::Test {
 protected:
  EngineTest() { start(sim::amd_12ccd(), "lab-amd-12ccd-nps2"); }
  ~EngineTest() override { std::filesystem::remove_all(directory_); }

  // A fresh host: web and db in cgroups of their own, a shell in the root, somebody else's group.
  void start(sim::KernelShape shape, const std::string& machine) {
    std::filesystem::remove_all(directory_);
    std::string pattern = ::testing::TempDir() + "bulkhead-engine-XXXXXX";
    directory_ = ::mkdtemp(pattern.data());
    machine_ = load_machine(machine).machine;
    kernel_ = std::make_unique<sim::ScriptedKernel>(std::move(shape));
    files_ = std::make_unique<ModelFileSystem>(*kernel_);
    sim::KernelModel& host = kernel_->outside();
    for (const char* path : {"/web", "/system", "/system/db"}) host.make_directory(cgroup_mount_ + path);
    web_ = host.spawn({.name = "web", .executable = "/usr/bin/web", .cgroup = "/web"});
    host.spawn_thread(web_);
    db_ = host.spawn({.name = "db", .executable = "/usr/bin/db", .cgroup = "/system/db"});
    shell_ = host.spawn({.name = "sh", .executable = "/bin/sh", .cgroup = "/"});
    host.make_directory("/sys/fs/resctrl/theirs");
    // In the last way, where it is not in the way of exclusive owners.
    for (int domain = 0; domain < 12; ++domain) {
      host.write("/sys/fs/resctrl/theirs/schemata", "L3:" + std::to_string(domain) + "=8000\n");
    }
    host.make_directory("/sys/fs/resctrl/mon_groups/watch");
  }

  // Each call is a start of the program: nothing is remembered but what is on disk.
  template <class Act>
  auto in_a_new_run(Act&& act) {
    Store store(directory_ + "/run");
    Engine engine(*files_, nullptr, store, machine_);
    return act(engine);
  }

  Outcome apply(const std::string& policy) {
    return in_a_new_run([&](Engine& engine) { return engine.apply({policy, "policy.json"}); });
  }
  Outcome reset() {
    return in_a_new_run([](Engine& engine) { return engine.reset(); });
  }
  Verification verify() {
    return in_a_new_run([](Engine& engine) { return engine.verify(); });
  }

  std::vector<std::string> findings() {
    std::vector<std::string> messages;
    for (const Finding& finding : verify().findings) messages.push_back(finding.message);
    return messages;
  }

  // The whole text of the error that `act` ends with.
  template <class Act>
  static std::string error_of(Act&& act) {
    try {
      act();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  std::string now() { return snapshot(kernel_->outside()); }
  std::string foreign() {
    return snapshot(kernel_->outside(), {.without_groups = "bulkhead.*", .tasks = false});
  }
  std::string read(const std::string& path) { return kernel_->outside().read(path).text; }
  bool has_journal() const { return std::filesystem::exists(directory_ + "/run/journal"); }

  std::string cgroup_mount_ = "/sys/fs/cgroup";
  std::string directory_;
  Machine machine_;
  std::unique_ptr<sim::ScriptedKernel> kernel_;
  std::unique_ptr<ModelFileSystem> files_;
  unsigned web_ = 0, db_ = 0, shell_ = 0;
};

inline constexpr const char* kWebOwnsNode0 = R"({
  "bulkhead": 1, "name": "web-node-0",
  "services": {
    "web": {"select": {"cgroup": "/web"}, "cpus": {"nodes": "0"}, "exclusive_cpus": true, "memory": "local",
            "l3": "100%"},
    "others": {"select": "others", "cpus": "rest"}
  }
})";

inline constexpr const char* kWebHasWays = R"({
  "bulkhead": 1, "name": "web-ways",
  "services": {
    "web": {"select": {"cgroup": "/web"}, "cpus": "all", "l3": "75%", "l3_exclusive": true, "bandwidth": "16GB/s"},
    "db": {"select": {"comm": "db"}, "cpus": "all", "l3": {"ways": 2}}
  }
})";

}  // namespace bulkhead::testing

// SPDX-License-Identifier: Apache-2.0
// libpqos on the processor's own registers, for hosts whose kernel has no resctrl. A register assigns a CPU
// to a class, nothing assigns a thread.
#pragma once

#include <optional>
#include <string>

#include "controller/kernel/file_system.h"
#include "controller/pqos/pqos_actuator.h"

namespace bulkhead {

class PqosMsrActuator : public PqosActuator {
 public:
  // Looks for resctrl once, here: the kernel would overwrite what libpqos writes. The machine must outlive
  // the actuator.
  PqosMsrActuator(FileSystem& files, const Machine& machine, PqosHelperOptions helper = {});

  std::string_view name() const override { return "pqos-msr"; }
  const ResctrlPresence& presence() const override { return presence_; }
  bool usable() override { return lack().empty(); }
  std::string lack() override;
  Capabilities capabilities(const std::string& vendor, const std::vector<ObservedGroup>& groups) override;
  std::vector<unsigned> tasks_of(const std::string&) override { return {}; }

 private:
  std::vector<PqosClass> read_classes() override { return helper_.read(); }
  std::optional<PqosClass> read_class(unsigned number) override;
  std::vector<unsigned> tasks_of_class(unsigned) override { return {}; }
  Unused unused() override;
  void keep_cpus(unsigned number, const CpuSet& kept, const CpuSet& gone) override;
  void require_host(const Observed& now) override;
  void require_writable() override;

  std::string find_lack();

  ResctrlPresence presence_;
  std::optional<std::string> lack_;  // once it was looked for
};

}  // namespace bulkhead

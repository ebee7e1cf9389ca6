// SPDX-License-Identifier: Apache-2.0
// libpqos on resctrl. Its start makes COS1 to COSn and so takes every CLOSID: it is started at the first
// change only, and the groups go again with the last of ours. What is there is read from resctrl itself,
// which knows what libpqos takes for 0.
#pragma once

#include <utility>

#include "controller/kernel/file_system.h"
#include "controller/pqos/pqos_actuator.h"
#include "controller/resctrl/resctrl_actuator.h"

namespace bulkhead {

class PqosOsActuator : public PqosActuator {
 public:
  // Both must outlive the actuator.
  PqosOsActuator(FileSystem& files, const Machine& machine, PqosHelperOptions helper = {});

  std::string_view name() const override { return "pqos-os"; }
  const ResctrlPresence& presence() const override { return resctrl_.presence(); }
  bool usable() override { return resctrl_.mounted(); }
  std::string lack() override { return presence().explanation; }
  Capabilities capabilities(const std::string& vendor, const std::vector<ObservedGroup>& groups) override;
  std::vector<unsigned> tasks_of(const std::string& group) override;
  void apply(const Step& step) override;
  void adopt(const GroupClasses& remembered, const std::vector<Step>& interrupted) override;

  // Once none of our groups is left: removes COS1 to COSn.
  void settle() override;
  std::vector<std::string> take_notes() override { return std::exchange(notes_, {}); }

 private:
  std::vector<PqosClass> read_classes() override;
  std::optional<PqosClass> read_class(unsigned number) override;
  std::vector<unsigned> tasks_of_class(unsigned number) override;
  Unused unused() override;
  void keep_cpus(unsigned number, const CpuSet& kept, const CpuSet& gone) override;
  void require_host(const Observed& now) override;
  void require_writable() override;

  ResctrlActuator resctrl_;
  FileSystem& files_;
  bool caused_ = false;  // the classes' folders may be there because of us
  std::vector<std::string> notes_;
};

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// Groups as libpqos's classes: each of ours has a number, n of COSn, for as long as it exists. What both of
// its interfaces have in common.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controller/pqos/helper.h"
#include "controller/resctrl/group_actuator.h"
#include "controller/topology/machine.h"

namespace bulkhead {

class PqosActuator : public GroupActuator {
 public:
  std::vector<ObservedGroup> observe() override;
  std::vector<ObservedGroup> observe(const std::vector<std::string>& names) override;

  // None: libpqos takes the lock that resctrl's programs agree on in each of its calls, so that one held by
  // us would only lock it out. Registers have none. Other Bulkheads wait for our own.
  std::unique_ptr<FileLock> lock(int) override { return nullptr; }

  void adopt(const GroupClasses& remembered, const std::vector<Step>& interrupted) override;
  GroupClasses classes() const override { return classes_; }
  void require_expressible(const Plan& plan, const Observed& now) override;
  void number(std::vector<Step>& steps) override;

  void apply(const Step& step) override;
  void undo(const Step& step) override;

 protected:
  // Both must outlive the actuator.
  PqosActuator(const Machine& machine, PqosInterface interface, PqosHelperOptions helper);

  // What a class has that nobody uses.
  struct Unused {
    std::uint64_t mask = 0;
    std::uint32_t bandwidth = 0;
  };

  virtual std::vector<PqosClass> read_classes() = 0;                  // those that are there, by number
  virtual std::optional<PqosClass> read_class(unsigned number) = 0;   // nothing where it is not there
  virtual std::vector<unsigned> tasks_of_class(unsigned number) = 0;  // sorted
  virtual Unused unused() = 0;
  virtual void keep_cpus(unsigned number, const CpuSet& kept, const CpuSet& gone) = 0;  // those go to class 0
  virtual void require_host(const Observed& now) = 0;
  virtual void require_writable() = 0;

  std::string title(unsigned number) const;  // our group's name, else "COSn"; class 0 has none
  std::optional<unsigned> number_of(const std::string& group) const;
  bool is_used(const PqosClass& one);

  const Machine& machine_;
  PqosInterface interface_;
  PqosHelper helper_;
  GroupClasses classes_;
  unsigned closids_ = 0;       // of the last capabilities()
  std::set<unsigned> others_;  // classes that somebody else uses, as last observed

 private:
  unsigned require_number(const std::string& group) const;
  Schemata unused_values(const Schemata& now);
  void clear(unsigned number);
  void write_cpus(unsigned number, const CpuSet& now, const CpuSet& wanted);
  void make_group(const std::string& group, const std::string& text);
  void restore_values(unsigned number, const std::string& before);
  void restore_group(const Step& step);
  void restore_tasks(unsigned number, const std::map<unsigned, std::string>& tasks);
};

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// The kernel model with a script: operations that fail, the program that is killed at one, and other actors
// who act just before one. Keeps a log of everything that could change the host.
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/kernel_model/kernel_model.h"

namespace bulkhead::sim {

enum class Operation { read, write, make_directory, remove_directory, mount };

std::string_view to_string(Operation operation);

// One operation that could change the host, whether or not it did.
struct LoggedOperation {
  Operation operation{};
  std::string path;
  std::string text;  // written, or the mount's options
  int error = 0;
  bool operator==(const LoggedOperation&) const = default;
};

enum class Moment { before, after };  // the operation takes effect

struct Fault {
  // Which operations; what is not set matches all. Patterns as in bulkhead::matches_pattern.
  std::size_t number = 0;  // of changing operations, from 1
  std::optional<Operation> operation;
  std::string path;
  std::string text;

  int error = 0;       // an errno
  std::string status;  // for info/last_cmd_status
  Moment moment = Moment::before;
  bool always = false;  // else once
};

// The program was killed. Not an std::exception, so that nobody takes it for an error and cleans up.
struct Stopped {
  std::size_t number = 0;
};

class ScriptedKernel {
 public:
  explicit ScriptedKernel(KernelShape shape) : kernel_(std::move(shape)) {}

  // For tests and other actors: no fault strikes them, nothing is logged.
  KernelModel& outside() { return kernel_; }

  void add_fault(Fault fault) { faults_.push_back(std::move(fault)); }
  // Every operation from that one on throws Stopped, until resume(): destructors cannot do anything either.
  void stop_at(std::size_t number, Moment moment);
  void resume();
  // Calls `act` before the changing operation of that number.
  void before(std::size_t number, std::function<void(KernelModel&)> act) {
    actors_.emplace(number, std::move(act));
  }
  void clear_script();

  Answer read(const Handle& handle);
  int write(const Handle& handle, std::string_view text);
  int make_directory(const std::string& path);
  int remove_directory(const std::string& path);
  int mount(const std::string& type, const std::string& target, const std::string& options);

  void keep_log(bool keep) { keeps_log_ = keep; }  // else it grows with every change and read
  const std::vector<LoggedOperation>& log() const { return log_; }
  const std::map<std::string, unsigned>& reads() const { return reads_; }  // how often, by path
  void clear_log() {                                                       // numbers start at 1 again
    log_.clear();
    reads_.clear();
    changes_ = 0;
  }
  std::string log_text() const;  // a line an operation, "write PATH TEXT -> ok"

 private:
  int change(Operation operation, const std::string& path, std::string_view text,
             const std::function<int()>& act);
  Fault* matching(Operation operation, const std::string& path, std::string_view text, Moment moment);
  int strike(Fault& fault);
  void stop_if(Moment moment);

  KernelModel kernel_;
  std::vector<Fault> faults_;
  std::multimap<std::size_t, std::function<void(KernelModel&)>> actors_;
  std::size_t stop_number_ = 0;
  Moment stop_moment_ = Moment::before;
  bool stopped_ = false;
  bool keeps_log_ = true;
  std::size_t changes_ = 0;
  std::vector<LoggedOperation> log_;
  std::map<std::string, unsigned> reads_;
};

}  // namespace bulkhead::sim

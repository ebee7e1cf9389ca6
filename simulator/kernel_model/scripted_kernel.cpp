// SPDX-License-Identifier: Apache-2.0
#include "simulator/kernel_model/scripted_kernel.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "controller/base/text.h"

namespace bulkhead::sim {
namespace {

constexpr std::array<std::string_view, 5> kOperationNames{"read", "write", "mkdir", "rmdir", "mount"};

}  // namespace

std::string_view to_string(Operation operation) {
  return kOperationNames[static_cast<std::size_t>(operation)];
}

void ScriptedKernel::stop_at(std::size_t number, Moment moment) {
  stop_number_ = number;
  stop_moment_ = moment;
}

void ScriptedKernel::resume() {
  stopped_ = false;
  stop_number_ = 0;
}

void ScriptedKernel::clear_script() {
  resume();
  faults_.clear();
  actors_.clear();
}

void ScriptedKernel::stop_if(Moment moment) {
  if (stop_number_ != 0 && changes_ == stop_number_ && moment == stop_moment_) stopped_ = true;
  if (stopped_) throw Stopped{stop_number_};
}

Fault* ScriptedKernel::matching(Operation operation, const std::string& path, std::string_view text,
                                Moment moment) {
  for (Fault& fault : faults_) {
    const bool changes = operation != Operation::read;
    if (fault.error != 0 && fault.moment == moment &&
        (fault.number == 0 || (changes && fault.number == changes_)) &&
        (fault.operation ? *fault.operation == operation : changes) &&
        (fault.path.empty() || matches_pattern(path, fault.path)) &&
        (fault.text.empty() || matches_pattern(text, fault.text))) {
      return &fault;
    }
  }
  return nullptr;
}

int ScriptedKernel::strike(Fault& fault) {
  const int error = fault.error;
  if (!fault.status.empty()) kernel_.add_status(fault.status);
  if (!fault.always) fault.error = 0;
  return error;
}

int ScriptedKernel::change(Operation operation, const std::string& path, std::string_view text,
                           const std::function<int()>& act) {
  if (stopped_) throw Stopped{stop_number_};
  const std::size_t number = ++changes_;
  if (keeps_log_) log_.push_back({operation, path, std::string(text), 0});
  stop_if(Moment::before);
  for (auto [actor, end] = actors_.equal_range(number); actor != end; ++actor) actor->second(kernel_);
  int error = 0;
  if (Fault* fault = matching(operation, path, text, Moment::before)) {
    error = strike(*fault);
  } else {
    error = act();
    if (Fault* late = matching(operation, path, text, Moment::after)) error = strike(*late);
  }
  if (keeps_log_) log_[number - 1].error = error;
  stop_if(Moment::after);
  return error;
}

Answer ScriptedKernel::read(const Handle& handle) {
  if (stopped_) throw Stopped{stop_number_};
  if (Fault* fault = matching(Operation::read, handle.path, {}, Moment::before)) return {strike(*fault), {}};
  if (keeps_log_) ++reads_[handle.path];
  return kernel_.read(handle);
}

int ScriptedKernel::write(const Handle& handle, std::string_view text) {
  return change(Operation::write, handle.path, text, [&] { return kernel_.write(handle, text); });
}

int ScriptedKernel::make_directory(const std::string& path) {
  return change(Operation::make_directory, path, {}, [&] { return kernel_.make_directory(path); });
}

int ScriptedKernel::remove_directory(const std::string& path) {
  return change(Operation::remove_directory, path, {}, [&] { return kernel_.remove_directory(path); });
}

int ScriptedKernel::mount(const std::string& type, const std::string& target, const std::string& options) {
  return change(Operation::mount, target, options, [&] { return kernel_.mount(type, target, options); });
}

std::string ScriptedKernel::log_text() const {
  std::string text;
  for (const LoggedOperation& each : log_) {
    std::string written(
        each.text.substr(0, each.text.ends_with('\n') ? each.text.size() - 1 : each.text.size()));
    std::ranges::replace(written, '\n', ' ');
    text += std::string(to_string(each.operation)) + ' ' + each.path +
            (written.empty() ? "" : ' ' + written) + " -> " +
            (each.error == 0 ? "ok" : std::strerror(each.error)) + '\n';
  }
  return text;
}

}  // namespace bulkhead::sim

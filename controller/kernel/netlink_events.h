// SPDX-License-Identifier: Apache-2.0
// What the kernel tells over netlink: CPUs that come and go (uevents), and programs that start (the process
// connector). Both exist only in the first network namespace, and the latter needs CAP_NET_ADMIN and a kernel
// that has it: without them there is no socket, and a sweep has to find the same.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "controller/base/unique_fd.h"

namespace bulkhead {

class CpuEvents {
 public:
  static std::optional<CpuEvents> open();

  int descriptor() const { return socket_.get(); }
  bool take();  // all there is; whether a CPU went online or offline

 private:
  explicit CpuEvents(UniqueFd socket) : socket_(std::move(socket)) {}
  UniqueFd socket_;
};

// Whether a uevent's text ("online@/devices/...", then NAME=VALUE, each ended by NUL) is about a CPU.
bool is_cpu_event(std::string_view uevent);

class ProgramEvents {
 public:
  static std::optional<ProgramEvents> open();

  int descriptor() const { return socket_.get(); }
  // Processes that started a program or took another name. `all_known` becomes false where some were lost.
  std::vector<unsigned> take(bool& all_known);

 private:
  explicit ProgramEvents(UniqueFd socket) : socket_(std::move(socket)) {}
  UniqueFd socket_;
};

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// Answers the real kernel's questions about system calls.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "controller/base/unique_fd.h"
#include "simulator/launcher/real_thread.h"

namespace bulkhead::sim {

struct Call {
  int number = 0;
  std::array<std::uint64_t, 6> arguments{};
};

struct CallAnswer {
  bool let_through = false;  // the real kernel does it
  int error = 0;
  std::int64_t value = 0;  // that the call returns
};

constexpr CallAnswer kLetThrough{.let_through = true};

using AnswerCall = std::function<CallAnswer(const Call& call, const RealThread& caller)>;

// From a thread of its own, one after the other, until this process ends. `proc` is a mounted procfs.
// `answer` must not wait for anything that the command's processes do: they may all be waiting here.
void listen_to_calls(UniqueFd listener, const std::string& proc, AnswerCall answer);

}  // namespace bulkhead::sim

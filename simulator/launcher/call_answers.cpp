// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/call_answers.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/syscall.h>
#include <unistd.h>

#include "simulator/launcher/affinity_calls.h"
#include "simulator/launcher/mount_calls.h"
#include "simulator/launcher/proc_view.h"

namespace bulkhead::sim {
namespace {

// Of no bytes. The real kernel would answer it without asking the file.
CallAnswer answer_write(SimulatedHost& host, const Call& call, const RealThread& thread) {
  const auto descriptor = static_cast<std::uint32_t>(call.arguments[0]);
  const std::string path = thread.link("fd/" + std::to_string(descriptor));
  const bool is_served = path.starts_with("/sys/") || path.starts_with("/proc/");
  if (!is_served || place_of(path) != Place::modelled || !thread.may_write(descriptor)) return kLetThrough;
  const Caller caller{thread.id(), thread.credentials().effective_user};
  const Opened opened = host.open(path, OpenFor::writing, caller);
  return {.error = opened.error != 0 ? ENODEV : opened.file->write({}, caller)};
}

struct AnsweredCall {
  long number = 0;
  CallAnswer (*answer)(SimulatedHost&, const Call&, const RealThread&) = nullptr;
};

constexpr std::array kAnswers = {
    AnsweredCall{SYS_mount, answer_mount},
    AnsweredCall{SYS_umount2, answer_unmount},
    AnsweredCall{SYS_fsopen, answer_open_filesystem},
    AnsweredCall{SYS_sched_setaffinity, answer_set_affinity},
    AnsweredCall{SYS_sched_getaffinity, answer_get_affinity},
    AnsweredCall{SYS_write, answer_write},
};

}  // namespace

CallAnswer answer_call(SimulatedHost& host, const Call& call, const RealThread& caller) {
  const auto found = std::ranges::find(kAnswers, call.number, &AnsweredCall::number);
  return found == kAnswers.end() ? kLetThrough : found->answer(host, call, caller);
}

}  // namespace bulkhead::sim

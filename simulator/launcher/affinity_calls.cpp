// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/affinity_calls.h"

#include <algorithm>
#include <cerrno>
#include <linux/capability.h>

namespace bulkhead::sim {
namespace {

constexpr unsigned kBitsOfByte = 8;
constexpr std::size_t kWord = sizeof(unsigned long);

// Bytes of the kernel's own masks, which are whole words.
std::size_t mask_bytes(unsigned cpus) {
  const std::size_t word_bits = kWord * kBitsOfByte;
  return (cpus + word_bits - 1) / word_bits * kWord;
}

CpuSet cpus_in(std::string_view mask) {
  CpuSet cpus;
  for (unsigned cpu = 0; cpu < mask.size() * kBitsOfByte; ++cpu) {
    if ((static_cast<unsigned char>(mask[cpu / kBitsOfByte]) >> cpu % kBitsOfByte & 1U) != 0)
      cpus.insert(cpu);
  }
  return cpus;
}

std::string mask_of(const CpuSet& cpus, std::size_t bytes) {
  std::string mask(bytes, '\0');
  cpus.for_each([&](unsigned cpu) {
    mask[cpu / kBitsOfByte] = static_cast<char>(mask[cpu / kBitsOfByte] | 1 << cpu % kBitsOfByte);
  });
  return mask;
}

// The task that a call is about: 0 is the caller. Nothing where there is no such task.
const Task* task_of(KernelModel& kernel, std::uint64_t argument, const RealThread& caller) {
  const auto id = static_cast<std::int32_t>(argument);
  const unsigned wanted = id == 0 ? caller.id() : static_cast<unsigned>(id);
  const auto task = kernel.world().tasks.find(wanted);
  return id < 0 || task == kernel.world().tasks.end() ? nullptr : &task->second;
}

bool may_change(const RealThread& caller, const RealThread& task) {
  const Credentials own = caller.credentials();
  const Credentials other = task.credentials();
  return own.effective_user == other.effective_user || own.effective_user == other.user ||
         own.has(CAP_SYS_NICE);
}

}  // namespace

CallAnswer answer_set_affinity(SimulatedHost& host, const Call& call, const RealThread& caller) {
  return host.with_tasks([&](ScriptedKernel& scripted) -> CallAnswer {
    KernelModel& kernel = scripted.outside();
    const std::size_t whole = mask_bytes(kernel.world().cpu_bits());
    const std::size_t given = std::min<std::size_t>(static_cast<std::uint32_t>(call.arguments[1]), whole);
    const auto mask = caller.bytes_at(call.arguments[2], given);
    if (!mask) return {.error = EFAULT};
    const Task* task = task_of(kernel, call.arguments[0], caller);
    if (task == nullptr) return {.error = ESRCH};
    if (task->pinned) return {.error = EINVAL};
    if (!may_change(caller, RealThread(host.real_root() + "/proc", task->id))) return {.error = EPERM};
    return {.error = kernel.set_affinity(task->id, cpus_in(*mask))};
  });
}

CallAnswer answer_get_affinity(SimulatedHost& host, const Call& call, const RealThread& caller) {
  const std::size_t room = static_cast<std::uint32_t>(call.arguments[1]);
  const auto answer = [&](ScriptedKernel& scripted) -> CallAnswer {
    KernelModel& kernel = scripted.outside();
    const unsigned bits = kernel.world().cpu_bits();
    if (room * kBitsOfByte < bits || room % kWord != 0) return {.error = EINVAL};
    const Task* task = task_of(kernel, call.arguments[0], caller);
    if (task == nullptr) return {.error = ESRCH};
    const std::string mask = mask_of(task->allowed & kernel.world().online, std::min(room, mask_bytes(bits)));
    if (!caller.put(call.arguments[2], mask)) return {.error = EFAULT};
    return {.value = static_cast<std::int64_t>(mask.size())};
  };
  const bool is_known = host.with_kernel([&](ScriptedKernel& kernel) {
    return task_of(kernel.outside(), call.arguments[0], caller) != nullptr;
  });
  return is_known ? host.with_kernel(answer) : host.with_tasks(answer);
}

}  // namespace bulkhead::sim

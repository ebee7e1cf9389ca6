// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/call_filter.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include "controller/base/error.h"

namespace bulkhead::sim {
namespace {

// Answers that do not depend on arguments cost the other calls nothing: the kernel remembers them by number.
constexpr std::array kAlways = {SYS_mount, SYS_umount2, SYS_sched_setaffinity, SYS_sched_getaffinity,
                                SYS_fsopen};

struct Condition {
  std::size_t offset = 0;  // of 32 bits in seccomp_data
  std::uint32_t value = 0;
  bool equal = true;
};

constexpr std::size_t low_half(std::size_t argument) {
  return offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t);
}

class Program {
 public:
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset), 0, 0); }
  void answer(std::uint32_t action) { add(BPF_RET | BPF_K, action, 0, 0); }
  // Goes on with the next instruction, or with the one so many after it.
  void skip_unless(const Condition& condition, std::size_t instructions) {
    const auto skipped = static_cast<std::uint8_t>(instructions);
    add(BPF_JMP | BPF_JEQ | BPF_K, condition.value, condition.equal ? 0 : skipped,
        condition.equal ? skipped : 0);
  }
  void ask(long number, const std::vector<Condition>& conditions = {}) {
    std::size_t left = 2 * conditions.size() + 2;
    skip_unless({0, static_cast<std::uint32_t>(number)}, left);
    for (const Condition& condition : conditions) {
      load(condition.offset);
      left -= 2;
      skip_unless(condition, left - 1);
    }
    answer(SECCOMP_RET_USER_NOTIF);
    answer(SECCOMP_RET_ALLOW);
  }

  sock_fprog code() { return {static_cast<unsigned short>(instructions_.size()), instructions_.data()}; }

 private:
  void add(unsigned code, std::uint32_t value, std::uint8_t if_true, std::uint8_t if_false) {
    instructions_.push_back({static_cast<std::uint16_t>(code), if_true, if_false, value});
  }

  std::vector<sock_filter> instructions_;
};

Program make_program() {
  Program program;
  program.load(offsetof(seccomp_data, arch));
  program.skip_unless({0, AUDIT_ARCH_X86_64, false}, 1);
  program.answer(SECCOMP_RET_ALLOW);
  program.load(offsetof(seccomp_data, nr));
  for (const long number : kAlways) program.ask(number);
  // FUSE never sees a write of nothing. The kernel's own files do, and refuse it.
  program.ask(SYS_write, {{low_half(2), 0}, {low_half(2) + sizeof(std::uint32_t), 0}});
  program.answer(SECCOMP_RET_ALLOW);
  return program;
}

long install(sock_fprog& code, unsigned long flags) {
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &code);
}

}  // namespace

UniqueFd install_call_filter() {
  // Signals wait until the answer has come, so that nothing is done twice. Since Linux 5.19.
  constexpr unsigned long kWaitKillable = 1UL << 5;
  Program program = make_program();
  sock_fprog code = program.code();
  long listener = install(code, SECCOMP_FILTER_FLAG_NEW_LISTENER | kWaitKillable);
  if (listener < 0 && errno == EINVAL) listener = install(code, SECCOMP_FILTER_FLAG_NEW_LISTENER);
  if (listener < 0) {
    throw Error(ErrorDetail{.code = ErrorCode::unsupported,
                            .message =
                                "cannot answer system calls: Linux 5.5 or later must be there, with "
                                "CONFIG_SECCOMP_FILTER, and no other program that already answers them",
                            .error_number = errno});
  }
  return UniqueFd(static_cast<int>(listener));
}

}  // namespace bulkhead::sim

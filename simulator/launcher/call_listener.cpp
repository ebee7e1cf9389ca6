// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/call_listener.h"

#include <algorithm>
#include <cerrno>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <thread>
#include <utility>

namespace bulkhead::sim {
namespace {

// Since Linux 6.6: who waits goes on at once on this CPU. Half the time of a call, where it is to be had.
void wake_at_once(int listener) {
  constexpr unsigned long kSetFlags = _IOW('!', 4, std::uint64_t);
  constexpr unsigned long kWakeOnThisCpu = 1;
  ::ioctl(listener, kSetFlags, kWakeOnThisCpu);
}

seccomp_notif_resp response_to(const seccomp_notif& question, const CallAnswer& answer) {
  seccomp_notif_resp response{};
  response.id = question.id;
  if (answer.let_through) {
    response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  } else {
    response.error = -answer.error;
    response.val = answer.error != 0 ? 0 : answer.value;
  }
  return response;
}

void answer_one(int listener, seccomp_notif question, const std::string& proc, const AnswerCall& answer) {
  const RealThread caller(proc, question.pid);
  // Its id could be another's by now. If the question still stands, the descriptors are its own.
  if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &question.id) != 0) return;
  Call call{.number = question.data.nr};
  std::ranges::copy(question.data.args, call.arguments.begin());
  seccomp_notif_resp response = response_to(question, answer(call, caller));
  ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);  // fails where it has been killed meanwhile
}

// ENOENT says that who asked has been killed, or that nobody is left who could ask.
bool is_over(int listener) {
  pollfd state{.fd = listener, .events = POLLIN, .revents = 0};
  return ::poll(&state, 1, 0) > 0 && (state.revents & POLLHUP) != 0;
}

}  // namespace

void listen_to_calls(UniqueFd listener, const std::string& proc, AnswerCall answer) {
  wake_at_once(listener.get());
  std::thread([kept = std::move(listener), proc, answer = std::move(answer)] {
    for (;;) {
      seccomp_notif question{};
      if (::ioctl(kept.get(), SECCOMP_IOCTL_NOTIF_RECV, &question) == 0) {
        answer_one(kept.get(), question, proc, answer);
      } else if (errno != EINTR && (errno != ENOENT || is_over(kept.get()))) {
        return;
      }
    }
  }).detach();
}

}  // namespace bulkhead::sim

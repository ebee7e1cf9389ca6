// SPDX-License-Identifier: Apache-2.0
#include "controller/kernel/netlink_events.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <sys/socket.h>

namespace bulkhead {
namespace {

constexpr unsigned kKernelUevents = 1;  // the multicast group; others are udev's
constexpr std::size_t kLargestUevent = 8 << 10;
constexpr std::size_t kLargestMessage = 4 << 10;

UniqueFd netlink_socket(int protocol, unsigned groups) {
  UniqueFd socket(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol));
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = groups;
  if (socket && ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return {};
  return socket;
}

// One datagram, if the kernel sent it: anybody may send to a netlink socket. 0: nothing; less: some were
// lost.
ssize_t receive(int socket, char* buffer, std::size_t size) {
  for (;;) {
    sockaddr_nl sender{};
    socklen_t length = sizeof sender;
    const ssize_t got = ::recvfrom(socket, buffer, size, 0, reinterpret_cast<sockaddr*>(&sender), &length);
    if (got < 0) return errno == ENOBUFS ? -1 : 0;
    if (sender.nl_pid == 0) return got;
  }
}

bool listen_to_programs(int socket) {
  constexpr proc_cn_mcast_op kListen = PROC_CN_MCAST_LISTEN;
  alignas(nlmsghdr) std::array<char, NLMSG_LENGTH(sizeof(cn_msg) + sizeof kListen)> request{};
  const nlmsghdr header{.nlmsg_len = request.size(), .nlmsg_type = NLMSG_DONE};
  cn_msg message{};
  message.id = {CN_IDX_PROC, CN_VAL_PROC};
  message.len = sizeof kListen;
  std::memcpy(request.data(), &header, sizeof header);
  std::memcpy(request.data() + NLMSG_HDRLEN, &message, sizeof message);
  std::memcpy(request.data() + NLMSG_HDRLEN + sizeof message, &kListen, sizeof kListen);
  return ::send(socket, request.data(), request.size(), 0) == static_cast<ssize_t>(request.size());
}

// The kernel drops forks and ends before they wake us: of these a busy host has thousands a second.
bool want_only_new_programs(int socket) {
  constexpr auto kWhat =
      static_cast<std::uint32_t>(NLMSG_LENGTH(0) + offsetof(cn_msg, data) + offsetof(proc_event, what));
  // Loads are in network order, what the kernel writes is in the host's.
  const auto in_load_order = [](std::uint32_t value) { return __builtin_bswap32(value); };
  std::array<sock_filter, 5> program{{
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, kWhat},
      {BPF_JMP | BPF_JEQ | BPF_K, 1, 0,
       in_load_order(static_cast<std::uint32_t>(proc_event::PROC_EVENT_EXEC))},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1,
       in_load_order(static_cast<std::uint32_t>(proc_event::PROC_EVENT_COMM))},
      {BPF_RET | BPF_K, 0, 0, 0xffffffff},
      {BPF_RET | BPF_K, 0, 0, 0},
  }};
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return ::setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0;
}

// Whether the kernel has heard that. Who is not in the first PID namespace, where processes have other
// numbers, is passed over without a word.
bool is_heard(int socket) {
  constexpr std::size_t kEvent = NLMSG_LENGTH(0) + sizeof(cn_msg);
  alignas(nlmsghdr) std::array<char, kLargestMessage> buffer;
  for (ssize_t size = 0; (size = receive(socket, buffer.data(), buffer.size())) != 0;) {
    if (size < static_cast<ssize_t>(kEvent)) continue;
    proc_event event{};
    std::memcpy(&event, buffer.data() + kEvent,
                std::min(sizeof event, static_cast<std::size_t>(size) - kEvent));
    if (event.what == proc_event::PROC_EVENT_NONE) return event.event_data.ack.err == 0;
  }
  return false;
}

}  // namespace

bool is_cpu_event(std::string_view uevent) {
  const auto has = [&](std::string_view field) {
    const auto place = uevent.find(field);
    return place != std::string_view::npos && place > 0 && uevent[place - 1] == '\0' &&
           (place + field.size() == uevent.size() || uevent[place + field.size()] == '\0');
  };
  using namespace std::string_view_literals;
  return has("SUBSYSTEM=cpu"sv) && (has("ACTION=online"sv) || has("ACTION=offline"sv));
}

std::optional<CpuEvents> CpuEvents::open() {
  UniqueFd socket = netlink_socket(NETLINK_KOBJECT_UEVENT, kKernelUevents);
  if (!socket) return std::nullopt;
  return CpuEvents(std::move(socket));
}

bool CpuEvents::take() {
  bool found = false;
  std::array<char, kLargestUevent> buffer;
  for (ssize_t size = 0; (size = receive(socket_.get(), buffer.data(), buffer.size())) != 0;) {
    found = found || size < 0 || is_cpu_event({buffer.data(), static_cast<std::size_t>(size)});
  }
  return found;
}

std::optional<ProgramEvents> ProgramEvents::open() {
  UniqueFd socket = netlink_socket(NETLINK_CONNECTOR, CN_IDX_PROC);
  if (!socket || !listen_to_programs(socket.get()) || !is_heard(socket.get()) ||
      !want_only_new_programs(socket.get()))
    return std::nullopt;
  return ProgramEvents(std::move(socket));
}

std::vector<unsigned> ProgramEvents::take(bool& all_known) {
  std::vector<unsigned> processes;
  alignas(nlmsghdr) std::array<char, kLargestMessage> buffer;
  for (ssize_t size = 0; (size = receive(socket_.get(), buffer.data(), buffer.size())) != 0;) {
    if (size < 0) {
      all_known = false;
      continue;
    }
    constexpr std::size_t kEvent = NLMSG_LENGTH(0) + sizeof(cn_msg);
    if (static_cast<std::size_t>(size) <
        kEvent + offsetof(proc_event, event_data) + sizeof(proc_event::event_data.exec))
      continue;
    proc_event event{};
    std::memcpy(&event, buffer.data() + kEvent,
                std::min(sizeof event, static_cast<std::size_t>(size) - kEvent));
    // Both kinds that the filter lets through begin with these two.
    processes.push_back(static_cast<unsigned>(event.event_data.exec.process_tgid));
  }
  return processes;
}

}  // namespace bulkhead

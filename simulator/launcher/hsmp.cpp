// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/hsmp.h"

#include <algorithm>
#include <asm/amd_hsmp.h>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <iterator>
#include <sys/ioctl.h>
#include <utility>

namespace bulkhead::sim {
namespace {

constexpr unsigned kMilli = 1000;
constexpr double kIdlePower = 0.3;   // of the limit
constexpr unsigned kLastPState = 3;  // of the data fabric
constexpr unsigned kLastPowerMode = 5;

// In the driver's order. What is open for reading may only get, what is open for writing only set.
int refusal(const hsmp_message& message, const OpenModes& modes, std::size_t sockets) {
  if (message.msg_id < HSMP_TEST || message.msg_id >= std::size(hsmp_msg_desc_table)) return ENOMSG;
  const hsmp_msg_desc& known = hsmp_msg_desc_table[message.msg_id];
  if (!modes.writes && known.type != HSMP_GET) return EINVAL;
  if (!modes.reads && known.type != HSMP_SET) return EINVAL;
  if (known.type == HSMP_RSVD) return ENOMSG;
  if (message.num_args != known.num_args || message.response_sz != known.response_sz) return EINVAL;
  return message.sock_ind < sockets ? 0 : ENODEV;
}

}  // namespace

Hsmp::Hsmp(const ProcessorFigures& figures, unsigned sockets)
    : figures_(figures),
      sockets_(sockets, Socket{.power_limit = figures.watts * kMilli, .boost_limit = figures.fastest}),
      loads_(sockets) {}

void Hsmp::set_loads(std::vector<SocketLoad> loads) {
  const std::lock_guard lock(mutex_);
  loads_ = std::move(loads);
}

int Hsmp::control(unsigned long command, std::string& data, const OpenModes& modes) {
  hsmp_message message{};
  // The driver looks at no other command than its own; of that the size is known.
  if (command != HSMP_IOCTL_CMD || data.size() != sizeof message) return ENOTTY;
  std::memcpy(&message, data.data(), sizeof message);
  const std::lock_guard lock(mutex_);
  if (const int error = refusal(message, modes, sockets_.size())) return error;
  Words words{};
  std::copy(std::begin(message.args), std::end(message.args), words.begin());
  const bool sets = hsmp_msg_desc_table[message.msg_id].type == HSMP_SET;
  const int error = sets ? set(message.msg_id, sockets_[message.sock_ind], words[0])
                         : get(message.msg_id, message.sock_ind, words);
  if (error != 0) return error;
  std::copy(words.begin(), words.end(), std::begin(message.args));
  std::memcpy(data.data(), &message, sizeof message);
  return 0;
}

unsigned Hsmp::power(std::size_t socket) const {
  const double share = kIdlePower + (1 - kIdlePower) * loads_[socket].busy;
  const auto drawn = static_cast<unsigned>(std::lround(share * figures_.watts * kMilli));
  return std::min(drawn, sockets_[socket].power_limit);
}

// GB/s that it could have and that are used, and the percentage.
std::uint32_t Hsmp::memory_use(std::size_t socket) const {
  constexpr double kGiga = 1e9;
  constexpr unsigned kWhole = 100, kMaxAt = 20, kUsedAt = 8;
  const double most = figures_.memory_bandwidth();
  const double used = std::min(loads_[socket].memory_bytes, most);
  return static_cast<std::uint32_t>(most / kGiga) << kMaxAt |
         static_cast<std::uint32_t>(used / kGiga) << kUsedAt |
         static_cast<std::uint32_t>(used / most * kWhole);
}

// The frequency, and a bit for what limits it: 0 is the processor's own, 2 power.
unsigned Hsmp::frequency_limit(std::size_t socket) const {
  constexpr unsigned kFrequencyAt = 16, kByPower = 1U << 2U, kByProcessor = 1;
  const bool by_power = power(socket) == sockets_[socket].power_limit;
  return sockets_[socket].boost_limit << kFrequencyAt | (by_power ? kByPower : kByProcessor);
}

unsigned Hsmp::core_limit(const Socket& socket, std::uint32_t apic_id) {
  const auto own = socket.core_limits.find(apic_id);
  return own == socket.core_limits.end() ? socket.boost_limit : std::min(own->second, socket.boost_limit);
}

// ENOMSG: the firmware does not know the message.
int Hsmp::get(unsigned message, std::size_t socket, Words& words) const {
  constexpr unsigned kWhole = 100, kDegreesAt = 8, kIdleDegrees = 40, kBusyDegrees = 40, kMaxAt = 16;
  const Socket& settings = sockets_[socket];
  const double busy = loads_[socket].busy;
  const auto whole = [](double value) { return static_cast<std::uint32_t>(value); };
  const std::map<unsigned, std::uint32_t> values = {
      {HSMP_TEST, words[0] + 1},
      {HSMP_GET_SMU_VER, figures_.hsmp_protocol << kMaxAt},
      {HSMP_GET_PROTO_VER, figures_.hsmp_protocol},
      {HSMP_GET_SOCKET_POWER, power(socket)},
      {HSMP_GET_SOCKET_POWER_LIMIT, settings.power_limit},
      {HSMP_GET_SOCKET_POWER_LIMIT_MAX, figures_.watts * kMilli},
      {HSMP_GET_BOOST_LIMIT, core_limit(settings, words[0])},
      {HSMP_GET_PROC_HOT, 0},
      {HSMP_GET_FCLK_MCLK, figures_.fabric_clock},
      {HSMP_GET_CCLK_THROTTLE_LIMIT, settings.boost_limit},
      {HSMP_GET_C0_PERCENT, whole(busy * kWhole)},
      {HSMP_GET_DDR_BANDWIDTH, memory_use(socket)},
      {HSMP_GET_TEMP_MONITOR, whole(kIdleDegrees + busy * kBusyDegrees) << kDegreesAt},
      {HSMP_GET_SOCKET_FREQ_LIMIT, frequency_limit(socket)},
      {HSMP_GET_CCLK_CORE_LIMIT, core_limit(settings, words[0])},
      {HSMP_GET_RAILS_SVI, power(socket)},
      {HSMP_GET_SOCKET_FMAX_FMIN, figures_.fastest << kMaxAt | figures_.slowest},
  };
  const auto found = values.find(message);
  if (found == values.end()) return ENOMSG;
  words[0] = found->second;
  if (message == HSMP_GET_FCLK_MCLK) words[1] = figures_.memory_clock;
  return 0;
}

// EINVAL: the firmware refuses the value.
int Hsmp::set(unsigned message, Socket& socket, std::uint32_t word) const {
  constexpr unsigned kApicIdAt = 16, kByte = 8;
  constexpr std::uint32_t kLimit = 0xffff, kLow = 0xff;
  const auto clamp = [&](std::uint32_t mhz) { return std::clamp(mhz, figures_.slowest, figures_.fastest); };
  switch (message) {
    case HSMP_SET_SOCKET_POWER_LIMIT:
      socket.power_limit = std::min(word, figures_.watts * kMilli);
      return 0;
    case HSMP_SET_BOOST_LIMIT:
      socket.core_limits[word >> kApicIdAt] = clamp(word & kLimit);
      return 0;
    case HSMP_SET_BOOST_LIMIT_SOCKET:
      socket.boost_limit = clamp(word);
      return 0;
    case HSMP_SET_AUTO_DF_PSTATE:
      return 0;
    case HSMP_SET_DF_PSTATE:
      return word <= kLastPState ? 0 : EINVAL;
    case HSMP_SET_POWER_MODE:
      return word <= kLastPowerMode ? 0 : EINVAL;
    case HSMP_SET_PSTATE_MAX_MIN:
      return (word & kLow) <= kLastPState && word >> kByte <= kLastPState ? 0 : EINVAL;
    default:
      return ENOMSG;
  }
}

}  // namespace bulkhead::sim

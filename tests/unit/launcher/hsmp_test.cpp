// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/hsmp.h"

#include <asm/amd_hsmp.h>
#include <cerrno>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/ioctl.h>

namespace bulkhead::sim {
namespace {

constexpr OpenModes kReads{.reads = true, .writes = false};
constexpr OpenModes kWrites{.reads = false, .writes = true};
constexpr OpenModes kBoth{.reads = true, .writes = true};

class HsmpTest : public testing::Test {
 protected:
  // Numbers of words as the message has them; the errno, or 0.
  int send(unsigned message, const OpenModes& modes, std::uint32_t word = 0, unsigned socket = 0) {
    answer_ = {.msg_id = message, .sock_ind = static_cast<__u16>(socket)};
    if (message < HSMP_MSG_ID_MAX) {
      answer_.num_args = static_cast<__u16>(hsmp_msg_desc_table[message].num_args);
      answer_.response_sz = static_cast<__u16>(hsmp_msg_desc_table[message].response_sz);
    }
    answer_.args[0] = word;
    return pass(modes);
  }
  int pass(const OpenModes& modes) {
    std::string data(sizeof answer_, '\0');
    std::memcpy(data.data(), &answer_, sizeof answer_);
    const int error = hsmp_.control(HSMP_IOCTL_CMD, data, modes);
    std::memcpy(&answer_, data.data(), sizeof answer_);
    return error;
  }
  std::uint32_t word() const { return answer_.args[0]; }

  Hsmp hsmp_{*figures_of("AMD EPYC 9654 96-Core Processor"), 2};
  hsmp_message answer_{};
};

TEST_F(HsmpTest, clocks_are_those_of_the_generation) {
  EXPECT_EQ(send(HSMP_GET_FCLK_MCLK, kReads), 0);
  EXPECT_EQ(word(), 1800U);
  EXPECT_EQ(answer_.args[1], 2400U);
  EXPECT_EQ(send(HSMP_GET_PROTO_VER, kReads), 0);
  EXPECT_EQ(word(), 5U);
}

TEST_F(HsmpTest, loads_show_on_their_socket) {
  hsmp_.set_loads({{}, {.memory_bytes = 230.4e9, .busy = 0.5}});
  EXPECT_EQ(send(HSMP_GET_DDR_BANDWIDTH, kReads, 0, 1), 0);
  EXPECT_EQ(word(), 460U << 20 | 230U << 8 | 50U);
  send(HSMP_GET_C0_PERCENT, kReads, 0, 1);
  EXPECT_EQ(word(), 50U);
  send(HSMP_GET_SOCKET_POWER, kReads, 0, 1);
  EXPECT_EQ(word(), 234000U);  // of 360 W: 30 % and half of the rest
  send(HSMP_GET_DDR_BANDWIDTH, kReads, 0, 0);
  EXPECT_EQ(word(), 460U << 20);
}

TEST_F(HsmpTest, limits_are_kept_within_what_the_processor_has) {
  EXPECT_EQ(send(HSMP_SET_SOCKET_POWER_LIMIT, kWrites, 999000), 0);
  send(HSMP_GET_SOCKET_POWER_LIMIT, kReads);
  EXPECT_EQ(word(), 360000U);
  EXPECT_EQ(send(HSMP_SET_BOOST_LIMIT_SOCKET, kBoth, 3000), 0);
  EXPECT_EQ(send(HSMP_SET_BOOST_LIMIT, kBoth, 7U << 16 | 2000U), 0);
  send(HSMP_GET_BOOST_LIMIT, kReads, 7);
  EXPECT_EQ(word(), 2000U);
  send(HSMP_GET_BOOST_LIMIT, kReads, 8);
  EXPECT_EQ(word(), 3000U);
  send(HSMP_GET_BOOST_LIMIT, kReads, 8, 1);
  EXPECT_EQ(word(), 3700U);  // the other socket
}

TEST_F(HsmpTest, a_power_limit_is_kept_and_named) {
  hsmp_.set_loads({{.busy = 1}, {}});
  EXPECT_EQ(send(HSMP_SET_SOCKET_POWER_LIMIT, kWrites, 200000), 0);
  send(HSMP_GET_SOCKET_POWER, kReads);
  EXPECT_EQ(word(), 200000U);
  send(HSMP_GET_SOCKET_FREQ_LIMIT, kReads);
  EXPECT_EQ(word(), 3700U << 16 | 4U);
}

TEST_F(HsmpTest, the_driver_refuses) {
  EXPECT_EQ(send(0, kReads), ENOMSG);
  EXPECT_EQ(send(1000, kReads), ENOMSG);
  EXPECT_EQ(send(HSMP_SET_DF_PSTATE, kReads, 1), EINVAL);
  EXPECT_EQ(send(HSMP_GET_SOCKET_POWER, kWrites), EINVAL);
  EXPECT_EQ(send(HSMP_GET_SOCKET_POWER, kReads, 0, 2), ENODEV);
  answer_ = {.msg_id = HSMP_GET_SOCKET_POWER, .num_args = 1, .response_sz = 1};
  EXPECT_EQ(pass(kReads), EINVAL);
  std::string data(sizeof answer_, '\0');
  EXPECT_EQ(hsmp_.control(HSMP_IOCTL_CMD + 1, data, kReads), ENOTTY);
}

TEST_F(HsmpTest, the_firmware_refuses) {
  EXPECT_EQ(send(HSMP_SET_DF_PSTATE, kWrites, 3), 0);
  EXPECT_EQ(send(HSMP_SET_DF_PSTATE, kWrites, 4), EINVAL);
  EXPECT_EQ(send(HSMP_SET_POWER_MODE, kWrites, 6), EINVAL);
  EXPECT_EQ(send(HSMP_SET_PSTATE_MAX_MIN, kWrites, 0x0400), EINVAL);
  EXPECT_EQ(send(HSMP_GET_DIMM_POWER, kReads, 0x80), ENOMSG);
}

TEST(ProcessorFigures, are_those_of_servers_since_zen_3) {
  EXPECT_DOUBLE_EQ(figures_of("AMD EPYC 9965 192-Core Processor")->memory_bandwidth(), 614.4e9);
  EXPECT_DOUBLE_EQ(figures_of("AMD EPYC 7763 64-Core Processor")->memory_bandwidth(), 204.8e9);
  EXPECT_EQ(figures_of("AMD EPYC 9684X 96-Core Processor")->hsmp_protocol, 5U);
  for (const char* other : {"AMD EPYC 7742 64-Core Processor", "AMD EPYC 4565P", "AMD EPYC-Milan Processor",
                            "Intel(R) Xeon(R) Platinum 8490H", "AMD EPYC 99"}) {
    EXPECT_FALSE(figures_of(other)) << other;
  }
}

}  // namespace
}  // namespace bulkhead::sim

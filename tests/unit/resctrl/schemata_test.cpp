// SPDX-License-Identifier: Apache-2.0
#include "controller/resctrl/schemata.h"

#include <chrono>
#include <gtest/gtest.h>

#include "tests/support/fixed_file_system.h"

namespace bulkhead {
namespace {

using testing::error_of;

DomainValues values(std::initializer_list<std::pair<unsigned, std::uint64_t>> list) {
  DomainValues result;
  for (const auto& [id, value] : list) result[CacheId{id}] = value;
  return result;
}

TEST(Schemata, reads_padded_files_as_kernels_to_6_14_write_them) {
  const Schemata expected{{Resource::l3, values({{0, 0xffff}, {1, 0xff}})},
                          {Resource::memory_bandwidth, values({{0, 2048}, {1, 16}})}};
  EXPECT_EQ(parse_schemata("    MB:0=2048;1=  16\n    L3:0=ffff;1=00ff\n"), expected);
}

TEST(Schemata, reads_unpadded_files_and_any_order) {
  const Schemata expected{{Resource::l3, values({{0, 0xff}, {1, 1}, {16, 0xf0f}, {27, 0}})},
                          {Resource::memory_bandwidth, values({{0, 4096}})},
                          {Resource::slow_bandwidth, values({{0, 8}})}};
  EXPECT_EQ(parse_schemata("L3:27=0;16=f0f;1=1;0=ff\nSMBA:0=8\nMB:0=4096\n"), expected);
  EXPECT_EQ(parse_schemata("  SMBA:0=   8\n    MB:0=4096\n    L3:0=00ff;1=0001;16=0f0f;27=0000"), expected);
}

TEST(Schemata, reads_both_halves_of_cdp) {
  const Schemata expected{{Resource::l3_data, values({{0, 0xffff}})},
                          {Resource::l3_code, values({{0, 0xf}})}};
  EXPECT_EQ(parse_schemata("L3DATA:0=ffff\nL3CODE:0=000f\n"), expected);
}

TEST(Schemata, reads_the_unlimited_value_of_mba_mbps) {
  EXPECT_EQ(parse_schemata("MB:0=4294967295;1=4294967295\n"),
            (Schemata{{Resource::memory_bandwidth, values({{0, 4294967295}, {1, 4294967295}})}}));
}

TEST(Schemata, skips_what_is_not_planned) {
  const Schemata only_l3{{Resource::l3, values({{0, 3}})}};
  EXPECT_EQ(parse_schemata("    L2:0=ff;1=ff\nL2CODE:0=f\nNEW:*=?\nL3:0=3\n"), only_l3);
  EXPECT_EQ(parse_schemata("MB:uninitialized\nL3:uninitialized\n"), Schemata{});
  EXPECT_EQ(parse_schemata(""), Schemata{}) << "a host that only monitors";
  EXPECT_EQ(parse_schemata("\n\n"), Schemata{});
}

TEST(Schemata, refuses_lines_that_are_none) {
  EXPECT_EQ(error_of([] { parse_schemata("L3 0=f\n"); }), "invalid: schemata line 'L3 0=f' has no ':'");
  EXPECT_EQ(error_of([] { parse_schemata("L3:0\n"); }),
            "invalid: schemata line 'L3:0' has '0', which is not DOMAIN=VALUE");
  EXPECT_EQ(error_of([] { parse_schemata("L3:a=f\n"); }),
            "invalid: schemata line 'L3:a=f' has 'a=f', which is not DOMAIN=VALUE");
  EXPECT_EQ(error_of([] { parse_schemata("L3:-1=f\n"); }),
            "invalid: schemata line 'L3:-1=f' has '-1=f', which is not DOMAIN=VALUE");
  EXPECT_EQ(error_of([] { parse_schemata("L3:0=f;;1=f\n"); }),
            "invalid: schemata line 'L3:0=f;;1=f' has '', which is not DOMAIN=VALUE");
  EXPECT_EQ(error_of([] { parse_schemata("L3:0=xyz\n"); }),
            "invalid: schemata line 'L3:0=xyz' has '0=xyz', whose value is not a hexadecimal mask");
  EXPECT_EQ(error_of([] { parse_schemata("L3:0=1ffffffffffffffff\n"); }),
            "invalid: schemata line 'L3:0=1ffffffffffffffff' has '0=1ffffffffffffffff', whose value is not a "
            "hexadecimal mask");
  EXPECT_EQ(error_of([] { parse_schemata("MB:0=0x10\n"); }),
            "invalid: schemata line 'MB:0=0x10' has '0=0x10', whose value is not a decimal number");
  EXPECT_EQ(error_of([] { parse_schemata("MB:0=\n"); }),
            "invalid: schemata line 'MB:0=' has '0=', whose value is not a decimal number");
  EXPECT_EQ(error_of([] { parse_schemata("MB:0=1;0=2\n"); }),
            "invalid: schemata line 'MB:0=1;0=2' names domain 0 twice");
  EXPECT_EQ(error_of([] { parse_schemata("MB:0=1\nMB:0=2\n"); }),
            "invalid: schemata line 'MB:0=2' names domain 0 twice");
  EXPECT_EQ(error_of([] { parse_schemata("MB:4294967296=2\n"); }),
            "invalid: schemata line 'MB:4294967296=2' has '4294967296=2', which is not DOMAIN=VALUE");
}

TEST(Schemata, keeps_messages_about_huge_lines_short) {
  const std::string message = error_of([] { parse_schemata("L3:" + std::string(1 << 20, 'z')); });
  EXPECT_EQ(message, "invalid: schemata line 'L3:" + std::string(77, 'z') + "...' has '" +
                         std::string(40, 'z') + "...', which is not DOMAIN=VALUE");
}

TEST(Schemata, takes_time_in_step_with_the_input) {
  std::string text = "L3:";
  for (unsigned id = 0; id < 100'000; ++id) text += std::to_string(id) + "=f;";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(parse_schemata(text).at(Resource::l3).size(), 100'000U);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(Schemata, renders_only_what_differs) {
  const Schemata now = parse_schemata("MB:0=2048;1=2048\nL3:0=ffff;1=ffff;16=ffff\n");
  EXPECT_EQ(render_schemata_change(now, now), "");
  EXPECT_EQ(render_schemata_change(now, {}), "");
  EXPECT_EQ(render_schemata_change(now, parse_schemata("L3:0=00ff;1=ffff;16=0001\n")), "L3:0=ff;16=1\n");
  EXPECT_EQ(render_schemata_change(now, parse_schemata("MB:1=16\nL3:0=FFF\n")), "L3:0=fff\nMB:1=16\n");
  EXPECT_EQ(render_schemata_change(now, {{Resource::l3, values({{1, 0}})}}), "L3:1=0\n");
}

TEST(Schemata, renders_what_is_not_there_yet) {
  EXPECT_EQ(render_schemata_change({}, {{Resource::slow_bandwidth, values({{3, 64}})},
                                        {Resource::l3_code, values({{3, 0xf0}})},
                                        {Resource::l3_data, values({{3, 0xf}})}}),
            "L3CODE:3=f0\nL3DATA:3=f\nSMBA:3=64\n");
}

TEST(Schemata, survives_the_round_trip) {
  for (const char* text : {"L3:0=ffff;1=0;27=f0f\nMB:0=2048;1=0\n", "L3CODE:0=1\nL3DATA:0=8000000000000000\n",
                           "MB:0=4294967295\nSMBA:0=1\n", ""}) {
    EXPECT_EQ(render_schemata_change({}, parse_schemata(text)), text);
  }
}

TEST(Schemata, merges_a_change_into_what_is_there) {
  const Schemata now = parse_schemata("L3:0=ffff;1=ffff\n");
  EXPECT_EQ(merged(now, parse_schemata("L3:1=f\nMB:0=8\n")), parse_schemata("L3:0=ffff;1=f\nMB:0=8\n"));
  EXPECT_EQ(merged(now, {}), now);
  const Schemata wanted = parse_schemata("L3:0=3\nMB:5=9\n");
  EXPECT_EQ(merged(now, parse_schemata(render_schemata_change(now, wanted))), merged(now, wanted));
}

TEST(Schemata, names_resources_as_the_kernel_does) {
  EXPECT_EQ(resource_name(Resource::l3), "L3");
  EXPECT_EQ(resource_name(Resource::l3_code), "L3CODE");
  EXPECT_EQ(resource_name(Resource::l3_data), "L3DATA");
  EXPECT_EQ(resource_name(Resource::memory_bandwidth), "MB");
  EXPECT_EQ(resource_name(Resource::slow_bandwidth), "SMBA");
}

}  // namespace
}  // namespace bulkhead

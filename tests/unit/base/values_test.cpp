// SPDX-License-Identifier: Apache-2.0
// WayMask, the units, and Error.
#include <cerrno>
#include <gtest/gtest.h>

#include "controller/base/error.h"
#include "controller/base/units.h"
#include "controller/base/way_mask.h"

namespace bulkhead {
namespace {

TEST(WayMask, reads_and_writes_hex) {
  EXPECT_EQ(WayMask::parse(" 0x0FFF\n")->to_hex(), "fff");
  EXPECT_EQ(WayMask::parse("ffffffffffffffff")->count(), 64U);
  EXPECT_EQ(WayMask::parse("10000000000000000"), std::nullopt);
  EXPECT_EQ(WayMask::parse("xyz"), std::nullopt);
  EXPECT_EQ(WayMask::parse(""), std::nullopt);
  EXPECT_EQ(WayMask{0xf}.to_hex_padded(11), "00f");
}

TEST(WayMask, knows_runs) {
  EXPECT_EQ(WayMask::run(4, 8).to_hex(), "ff0");
  EXPECT_EQ(WayMask::run(0, 64).to_hex(), "ffffffffffffffff");
  EXPECT_EQ(WayMask::run(3, 0), WayMask{});
  EXPECT_TRUE(WayMask{0xff0}.contiguous());
  EXPECT_FALSE(WayMask{0xf0f}.contiguous());
  EXPECT_TRUE(WayMask{~std::uint64_t{0}}.contiguous());
}

TEST(Units, are_exact_or_refused) {
  EXPECT_EQ(Percent::parse("37.5%")->hundredths, 3750U);
  EXPECT_EQ(Percent::parse("37.5%")->to_string(), "37.5%");
  EXPECT_EQ(Percent::parse("75%")->of(16), 12U);
  EXPECT_EQ(Percent::parse("33.333%"), std::nullopt);
  EXPECT_EQ(Percent::parse("75"), std::nullopt);
  EXPECT_EQ(Percent::parse("-5%"), std::nullopt);
  EXPECT_EQ(parse_bytes("24MiB"), 25165824U);
  EXPECT_EQ(parse_bytes("1.5 GiB"), 1610612736U);
  EXPECT_EQ(parse_bytes("24MB"), std::nullopt);
  EXPECT_EQ(parse_bytes("18446744073709551616"), std::nullopt);
  EXPECT_EQ(parse_bytes("17179869184GiB"), std::nullopt);
  EXPECT_EQ(parse_rate("40GB/s"), 40'000'000'000U);
  EXPECT_EQ(parse_rate("0.5 GB/s"), 500'000'000U);
  EXPECT_EQ(parse_rate("40GB"), std::nullopt);
  EXPECT_EQ(format_bytes(25165824), "24 MiB");
  EXPECT_EQ(format_rate(312'500'000), "312.5 MB/s");
}

TEST(Error, says_everything_in_one_line) {
  Error error = Error::from_errno(EINVAL, "cannot write 'L3:0=0'", "/f/schemata");
  error.set_kernel_status("Mask out of range").add_context("applying step 2 of 5");
  EXPECT_STREQ(error.what(),
               "cannot write 'L3:0=0' (/f/schemata: Invalid argument; the kernel says: Mask out of range), "
               "while applying step 2 of 5");
  EXPECT_EQ(error.code(), ErrorCode::refused);
  EXPECT_EQ(exit_status(error.code()), 1);
  EXPECT_EQ(Error::from_errno(EPERM, "", "").code(), ErrorCode::permission);
  EXPECT_EQ(Error::from_errno(ESRCH, "", "").code(), ErrorCode::not_found);
  Error placed(ErrorCode::infeasible, "too few CCDs");
  placed.set_place("p.json", 3, 7, "/services/a");
  EXPECT_STREQ(placed.what(), "p.json:3:7: too few CCDs");
}

}  // namespace
}  // namespace bulkhead

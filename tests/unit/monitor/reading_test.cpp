// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/reading.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

TEST(Reading, is_what_the_kernel_wrote) {
  EXPECT_EQ(parse_reading("0\n"), (Reading{0, NoData::none}));
  EXPECT_EQ(parse_reading("18446744073709551615\n"), (Reading{18446744073709551615ULL, NoData::none}));
  EXPECT_EQ(parse_reading("65536"), (Reading{65536, NoData::none}));
}

TEST(Reading, no_data_is_not_zero) {
  EXPECT_EQ(parse_reading("Unavailable\n"), (Reading{0, NoData::unavailable}));
  EXPECT_EQ(parse_reading("Error\n"), (Reading{0, NoData::error}));
  EXPECT_EQ(parse_reading("Unassigned\n"), (Reading{0, NoData::unassigned}));
}

TEST(Reading, what_is_no_number_is_no_data) {
  for (const char* text :
       {"", "\n", "-1\n", "0x10\n", "18446744073709551616\n", "1 2\n", "unavailable\n", "1\n\n"}) {
    EXPECT_EQ(parse_reading(text), (Reading{0, NoData::unreadable})) << text;
  }
}

TEST(Reading, events_have_the_names_of_their_files) {
  for (const CounterEvent event : kCounterEvents) EXPECT_EQ(parse_counter_event(to_string(event)), event);
  EXPECT_EQ(to_string(CounterEvent::mbm_local_bytes), "mbm_local_bytes");
  EXPECT_EQ(parse_counter_event("mbm_total"), std::nullopt);
}

}  // namespace
}  // namespace bulkhead

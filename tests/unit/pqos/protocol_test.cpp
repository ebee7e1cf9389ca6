// SPDX-License-Identifier: Apache-2.0
#include "controller/pqos/protocol.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

TEST(Protocol, abilities_come_through_as_they_are) {
  const PqosAbilities all{.amd = true,
                          .l3 = PqosCache{.classes = 16, .ways = 11, .shareable = 0x600, .cdp = true},
                          .memory = PqosBandwidth{.classes = 8, .min = 10, .step = 10, .unlimited = 100},
                          .counters = {{.event = CounterEvent::mbm_total_bytes, .bytes = 65536, .bits = 32}},
                          .cpus = {{.cpu = 3, .l3_id = 1, .bandwidth_id = 2}}};
  EXPECT_EQ(pqos_protocol::abilities_from(pqos_protocol::to_json(all)), all);
  const PqosAbilities none{.cpus = {}};
  EXPECT_EQ(pqos_protocol::to_json(none).dump(), R"({"amd":false,"cpus":[]})");
  EXPECT_EQ(pqos_protocol::abilities_from(pqos_protocol::to_json(none)), none);
}

TEST(Protocol, classes_come_through_as_they_are) {
  const std::vector<PqosClass> classes{
      {.number = 0, .schemata = {{Resource::l3, {{CacheId{0}, 0xffff}}}}, .cpus = {}},
      {.number = 1,
       .schemata = {{Resource::l3_code, {{CacheId{2}, 0xf}}},
                    {Resource::l3_data, {{CacheId{2}, 0xf0}}},
                    {Resource::memory_bandwidth, {{CacheId{2}, 2048}}}},
       .cpus = {0, 1, 5}}};
  EXPECT_EQ(pqos_protocol::classes_from(pqos_protocol::to_json(classes)), classes);
}

TEST(Protocol, counts_come_through_with_what_they_lack) {
  const std::vector<PqosCount> counts{
      {.id = 7, .readings = {{{5, NoData::none}, {0, NoData::unavailable}, {0, NoData::not_read}}}},
      {.id = 8, .readings = {{{0, NoData::none}, {~std::uint64_t{0}, NoData::none}, {0, NoData::error}}}}};
  EXPECT_EQ(pqos_protocol::to_json(counts).dump(),
            R"([[7,5,"unavailable","not_read"],[8,0,18446744073709551615,"error"]])");
  EXPECT_EQ(pqos_protocol::counts_from(pqos_protocol::to_json(counts)), counts);
}

TEST(Protocol, an_error_says_what_the_library_said) {
  const Error error(ErrorDetail{.code = ErrorCode::conflict,
                                .message = "libpqos cannot use its os interface here: busy",
                                .kernel_status = "ERROR: Failed to make COS3"});
  const Error there = pqos_protocol::error_from(pqos_protocol::to_json(error));
  EXPECT_EQ(there.code(), ErrorCode::conflict);
  EXPECT_EQ(there.detail().kernel_status, "ERROR: Failed to make COS3");
  EXPECT_STREQ(there.what(),
               "libpqos cannot use its os interface here: busy. It says: ERROR: Failed to make COS3");
}

TEST(Protocol, an_error_of_ours_stays_one) {
  const Error there = pqos_protocol::error_from(Json{{"code", "drift"}, {"message", "m"}, {"said", ""}});
  EXPECT_EQ(there.code(), ErrorCode::internal);
  EXPECT_STREQ(there.what(), "m");
}

}  // namespace
}  // namespace bulkhead

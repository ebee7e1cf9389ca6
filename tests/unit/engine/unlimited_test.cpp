// SPDX-License-Identifier: Apache-2.0
// No file says what unlimited bandwidth is; it is seen in groups that nobody has capped.
#include "tests/unit/engine/engine_fixture.h"

namespace bulkhead::testing {
namespace {

constexpr const char* kAllCapped = R"({
  "bulkhead": 1, "name": "capped",
  "services": {
    "web": {"select": {"cgroup": "/web"}, "cpus": "all", "bandwidth": "16GB/s"},
    "others": {"select": "others", "cpus": "all", "bandwidth": "8GB/s"}
  }
})";
constexpr const char* kWebUnlimited = R"({
  "bulkhead": 1, "name": "free",
  "services": {
    "web": {"select": {"cgroup": "/web"}, "cpus": "all", "bandwidth": "unlimited"},
    "others": {"select": "others", "cpus": "all", "bandwidth": "8GB/s"}
  }
})";

TEST_F(EngineTest, unlimited_is_still_known_when_every_group_was_capped_by_the_first_apply) {
  kernel_->outside().remove_directory("/sys/fs/resctrl/theirs");
  apply(kAllCapped);
  EXPECT_EQ(read("/sys/fs/resctrl/bulkhead.web/schemata").find("=2048"), std::string::npos);
  EXPECT_EQ(read("/sys/fs/resctrl/schemata").find("=2048"), std::string::npos);
  EXPECT_EQ(verify().capabilities.memory->unlimited, 2048U);
  apply(kWebUnlimited);
  in_a_new_run([](Engine& engine) {
    for (const ObservedGroup& group : engine.groups().observe({"bulkhead.web"})) {
      EXPECT_EQ(group.schemata.at(Resource::memory_bandwidth).at(CacheId{0}), 2048U);
    }
  });
}

}  // namespace
}  // namespace bulkhead::testing

// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/counters_document.h"

#include <gmock/gmock.h>

namespace bulkhead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ServicesOf, a_group_are_those_that_it_is_for) {
  Plan plan;
  plan.groups.push_back({.name = "bulkhead.bulk",
                         .services = {"backup", "logs"},
                         .monitoring = {{.name = "bulkhead.logs", .service = "logs"}}});
  plan.services = {{.service = "backup", .group = "bulkhead.bulk"},
                   {.service = "logs", .group = "bulkhead.bulk"},
                   {.service = "rest", .group = ""}};
  EXPECT_THAT(services_of("bulkhead.bulk", plan), ElementsAre("backup", "logs"));
  EXPECT_THAT(services_of("bulkhead.bulk/mon_groups/bulkhead.logs", plan), ElementsAre("logs"));
  EXPECT_THAT(services_of("bulkhead.bulk/mon_groups/other", plan), IsEmpty());
  EXPECT_THAT(services_of("", plan), ElementsAre("rest"));
  EXPECT_THAT(services_of("mon_groups/foreign", plan), IsEmpty());
  EXPECT_THAT(services_of("foreign", plan), IsEmpty());
}

}  // namespace
}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/repair_pace.h"

#include <gmock/gmock.h>

namespace bulkhead {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Pacing : public ::testing::Test {
 protected:
  RepairPace pace_;
  Backoff::Time now_{seconds(1000)};
};

TEST_F(Pacing, holds_what_differs_again_and_nothing_else) {
  const Things both{"a", "b"};
  pace_.tried({"a"}, now_);
  EXPECT_THAT(pace_.held(both, now_), IsEmpty());
  pace_.tried({"a"}, now_);
  EXPECT_THAT(pace_.held(both, now_), ElementsAre("a"));
  EXPECT_EQ(pace_.next("a", now_), now_ + seconds(1));
  EXPECT_EQ(pace_.next(both, now_), now_) << "b's";
  EXPECT_THAT(pace_.held(both, now_ + seconds(1)), IsEmpty());
}

TEST_F(Pacing, tells_once_of_what_it_holds_until_that_was_quiet) {
  for (int fight = 0; fight < 2; ++fight, now_ += seconds(100)) {
    pace_.tried({"a"}, now_);
    pace_.tried({"a"}, now_);
    EXPECT_THAT(pace_.untold(pace_.held({"a"}, now_)), ElementsAre("a"));
    EXPECT_THAT(pace_.untold(pace_.held({"a"}, now_)), IsEmpty());
  }
}

TEST_F(Pacing, bounds_all_repairs_together_however_many_things_differ) {
  const Backoff::Time first = now_;
  for (std::size_t count = 0; count < RepairPace::kMostRepairs; ++count, now_ += milliseconds(250)) {
    const Things thing{std::to_string(count)};
    ASSERT_THAT(pace_.held(thing, now_), IsEmpty());
    pace_.tried(thing, now_);
  }
  EXPECT_THAT(pace_.held({"another"}, now_), ElementsAre("another"));
  EXPECT_THAT(pace_.untold({"another"}), IsEmpty()) << "it has not differed before";
  EXPECT_EQ(pace_.next("another", now_), first + Backoff::kQuiet);
  EXPECT_THAT(pace_.held({"another"}, first + Backoff::kQuiet), IsEmpty());
}

}  // namespace
}  // namespace bulkhead

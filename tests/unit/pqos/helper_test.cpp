// SPDX-License-Identifier: Apache-2.0
#include "controller/pqos/helper.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/fixed_file_system.h"
#include "tests/unit/pqos/fake_library.h"

namespace bulkhead {
namespace {

using testing::error_of;
using testing::with_fake_library;

const Schemata kSmall{{Resource::l3, {{CacheId{0}, 0x3}}}, {Resource::memory_bandwidth, {{CacheId{1}, 40}}}};

TEST(PqosHelper, says_what_the_processor_can_do) {
  PqosHelper helper(PqosInterface::msr, with_fake_library());
  helper.require_library();
  const PqosAbilities expected{.amd = true,
                               .l3 = PqosCache{.classes = 4, .ways = 8, .shareable = 0xc0, .cdp = false},
                               .memory = PqosBandwidth{.classes = 4, .min = 1, .step = 1, .unlimited = 2048},
                               .counters = {{CounterEvent::llc_occupancy, 1, 64},
                                            {CounterEvent::mbm_total_bytes, 64, 44},
                                            {CounterEvent::mbm_local_bytes, 64, 44}},
                               .cpus = {{0, 0, 0}, {1, 0, 0}, {2, 1, 1}, {3, 1, 1}}};
  EXPECT_EQ(helper.abilities(), expected);
}

TEST(PqosHelper, reads_back_what_was_written) {
  PqosHelper helper(PqosInterface::msr, with_fake_library());
  helper.write(2, kSmall);
  helper.assign_cpus(2, {1, 3});
  const std::vector<PqosClass> classes = helper.read();
  ASSERT_EQ(classes.size(), 4U);
  EXPECT_EQ(classes[2],
            (PqosClass{.number = 2,
                       .schemata = {{Resource::l3, {{CacheId{0}, 0x3}, {CacheId{1}, 0xff}}},
                                    {Resource::memory_bandwidth, {{CacheId{0}, 2048}, {CacheId{1}, 40}}}},
                       .cpus = {1, 3}}));
  EXPECT_EQ(classes[1].schemata.at(Resource::l3), (DomainValues{{CacheId{0}, 0xff}, {CacheId{1}, 0xff}}));
  EXPECT_TRUE(classes[0].cpus.empty());
}

TEST(PqosHelper, passes_over_threads_that_have_ended) {
  PqosHelper helper(PqosInterface::msr, with_fake_library());
  const pid_t ended = ::fork();
  if (ended == 0) ::_exit(0);
  ::waitpid(ended, nullptr, 0);
  const auto self = static_cast<unsigned>(::getpid());
  EXPECT_EQ(error_of([&] { helper.assign_tasks(1, {static_cast<unsigned>(ended), self}); }), "");
  EXPECT_EQ(error_of([&] { helper.assign_tasks(1, {1}); }),
            "refused: libpqos cannot assign thread 1 to COS1: generic error. It says: ERROR: no task");
}

TEST(PqosHelper, a_refusal_has_all_that_the_library_said) {
  PqosHelper helper(PqosInterface::msr, with_fake_library("refuse"));
  EXPECT_EQ(error_of([&] { helper.write(1, kSmall); }),
            "refused: libpqos cannot give COS1 the ways 3 of L3 0: parameter error. It says: ERROR: no such "
            "mask; WARN: "
            "nothing written");
  EXPECT_EQ(helper.read()[1].schemata.at(Resource::l3).at(CacheId{0}), 0xffU);
}

TEST(PqosHelper, where_it_cannot_start_its_reason_is_told) {
  PqosHelper busy(PqosInterface::os, with_fake_library("busy"));
  EXPECT_EQ(error_of([&] { busy.abilities(); }),
            "conflict: libpqos cannot use its os interface here: busy. It says: ERROR: COS3 cannot be made");
  PqosHelper other(PqosInterface::os, with_fake_library());
  EXPECT_EQ(error_of([&] { other.abilities(); }),
            "refused: libpqos cannot use its os interface here: no such interface");
}

TEST(PqosHelper, its_abort_is_an_error_and_the_next_call_starts_anew) {
  PqosHelper helper(PqosInterface::msr, with_fake_library("abort"));
  const std::string died =
      "refused: libpqos has failed: while it worked, the process that it ran in ended by signal 6 (Aborted)";
  EXPECT_EQ(error_of([&] { helper.abilities(); }), died);
  EXPECT_EQ(error_of([&] { helper.read(); }), died);
  with_fake_library();
  EXPECT_EQ(helper.read().size(), 4U);
}

TEST(PqosHelper, a_hang_is_an_error) {
  PqosHelperOptions options = with_fake_library("hang");
  options.patience = std::chrono::milliseconds(150);
  PqosHelper helper(PqosInterface::msr, options);
  EXPECT_EQ(error_of([&] { helper.abilities(); }),
            "refused: libpqos has not answered for 150 ms: the process that it ran in was ended");
}

TEST(PqosHelper, without_the_library_it_says_where_to_get_it) {
  const std::filesystem::path folder = std::filesystem::path(PQOS_TEST_FOLDER) / "no-libpqos";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "libpqos.so.4") << "this is no library\n";
  PqosHelper helper(PqosInterface::msr, with_fake_library("", "/no-libpqos"));
  EXPECT_TRUE(error_of([&] {
                helper.require_library();
              }).starts_with("unsupported: libpqos is not installed (Debian has it in intel-cmt-cat): "));
}

TEST(PqosHelper, a_program_that_is_no_helper_is_told_as_it_ends) {
  PqosHelper helper(PqosInterface::msr, {.program = "/bin/true"});
  EXPECT_EQ(error_of([&] { helper.require_library(); }).substr(0, 28), "refused: libpqos has failed:");
  PqosHelper none(PqosInterface::msr, {.program = "/no/such/program"});
  EXPECT_NE(error_of([&] { none.require_library(); }).find("ended with status 127"), std::string::npos);
}

}  // namespace
}  // namespace bulkhead

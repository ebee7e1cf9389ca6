// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/real_thread.h"

#include <array>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <unistd.h>

namespace bulkhead::sim {
namespace {

class RealThreadTest : public testing::Test {
 protected:
  static std::uint64_t address_of(const void* data) { return reinterpret_cast<std::uint64_t>(data); }

  const RealThread self_{"/proc", static_cast<unsigned>(gettid())};
};

TEST_F(RealThreadTest, memory_is_read_and_written) {
  std::array<char, 8> text{"resctrl"};
  EXPECT_EQ(self_.text_at(address_of(text.data())), "resctrl");
  EXPECT_EQ(self_.bytes_at(address_of(text.data()), 3), "res");
  EXPECT_TRUE(self_.put(address_of(text.data()), "cgroup"));
  EXPECT_STREQ(text.data(), "cgroupl");
}

TEST_F(RealThreadTest, memory_that_is_not_there_is_nothing) {
  EXPECT_EQ(self_.text_at(0), std::nullopt);
  EXPECT_EQ(self_.bytes_at(8, 4), std::nullopt);
  EXPECT_FALSE(self_.put(0, "x"));
}

TEST_F(RealThreadTest, a_text_may_end_with_its_page) {
  constexpr std::size_t kPage = 4096;
  char* const pages = static_cast<char*>(
      mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  munmap(pages + kPage, kPage);
  char* const text = pages + kPage - 4;
  text[0] = text[1] = text[2] = 'x';
  EXPECT_EQ(self_.text_at(address_of(text)), "xxx");
  text[3] = 'x';  // no zero byte before the end of what is mapped
  EXPECT_EQ(self_.text_at(address_of(text)), std::nullopt);
  munmap(pages, kPage);
}

TEST_F(RealThreadTest, paths_begin_where_it_is) {
  EXPECT_EQ(self_.absolute("/sys/fs/../fs//resctrl/"), "/sys/fs/resctrl");
  EXPECT_EQ(self_.absolute("x/./y"), std::filesystem::current_path().string() + "/x/y");
  EXPECT_EQ(self_.absolute("/"), "/");
}

TEST_F(RealThreadTest, one_that_has_gone_is_nobody_and_may_nothing) {
  const Credentials gone = RealThread("/proc", 4'000'000'000).credentials();
  EXPECT_EQ(gone.user, kNoUser);
  EXPECT_EQ(gone.effective_user, kNoUser);
  EXPECT_EQ(gone.capabilities, 0U);
}

TEST_F(RealThreadTest, credentials_are_its_own) {
  const Credentials own = self_.credentials();
  EXPECT_EQ(own.user, getuid());
  EXPECT_EQ(own.effective_user, geteuid());
  EXPECT_EQ(own.has(CAP_CHOWN), geteuid() == 0);
}

TEST_F(RealThreadTest, descriptors_are_for_writing_or_not) {
  const int reading = open("/dev/null", O_RDONLY);
  const int writing = open("/dev/null", O_WRONLY);
  EXPECT_FALSE(self_.may_write(static_cast<unsigned>(reading)));
  EXPECT_TRUE(self_.may_write(static_cast<unsigned>(writing)));
  EXPECT_EQ(self_.link("fd/" + std::to_string(writing)), "/dev/null");
  close(reading);
  close(writing);
  EXPECT_FALSE(self_.may_write(static_cast<unsigned>(writing)));
  EXPECT_EQ(self_.link("fd/" + std::to_string(writing)), "");
}

}  // namespace
}  // namespace bulkhead::sim

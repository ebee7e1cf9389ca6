// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/open_files.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

namespace bulkhead::sim {
namespace {

TEST(OpenFiles, hold_the_folders_above_them_and_no_other) {
  std::string pattern = "/tmp/bulkhead-open-XXXXXX";
  const std::string folder = mkdtemp(pattern.data());
  std::filesystem::create_directory(folder + "/below");
  EXPECT_FALSE(is_held_open("/proc", folder));
  const int file = open((folder + "/below").c_str(), O_RDONLY | O_DIRECTORY);
  EXPECT_TRUE(is_held_open("/proc", folder));
  EXPECT_TRUE(is_held_open("/proc", folder + "/below"));
  EXPECT_FALSE(is_held_open("/proc", folder + "/bel"));
  close(file);
  EXPECT_FALSE(is_held_open("/proc", folder));
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  EXPECT_TRUE(is_held_open("/proc", folder));
  std::filesystem::current_path(before);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace bulkhead::sim

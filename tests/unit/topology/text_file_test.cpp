// SPDX-License-Identifier: Apache-2.0
#include "controller/topology/text_file.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/base/error.h"

namespace bulkhead {
namespace {

std::string refusal_of_text(const std::string& path) {
  try {
    read_text_file(path);
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
  }
  return "accepted";
}

TEST(TextFile, is_read_whole) {
  const std::string path = testing::TempDir() + "text_file_test.txt";
  const std::string text(40'000, 'x');
  std::ofstream(path) << text;
  EXPECT_EQ(read_text_file(path), text);
  ::unlink(path.c_str());
}

TEST(TextFile, that_is_none_is_refused_at_once) {
  const std::string pipe = testing::TempDir() + "text_file_test.pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);  // to open it would wait for a writer
  EXPECT_EQ(refusal_of_text(pipe), "invalid: this is a pipe, not a regular file (" + pipe + ")");
  ::unlink(pipe.c_str());
  EXPECT_EQ(refusal_of_text("/dev/zero"), "invalid: this is a device, not a regular file (/dev/zero)");
  EXPECT_EQ(refusal_of_text("/"), "invalid: this is a directory, not a regular file (/)");
}

TEST(TextFile, that_is_not_there_is_told_with_the_systems_words) {
  EXPECT_EQ(refusal_of_text("/absent"),
            "not_found: cannot open the file (/absent: No such file or directory)");
}

}  // namespace
}  // namespace bulkhead

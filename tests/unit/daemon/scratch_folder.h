// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

#include "controller/base/error.h"

namespace bulkhead {

// A directory of a test's own, mode 0700.
class ScratchFolder : public ::testing::Test {
 protected:
  ScratchFolder() {
    std::string pattern = ::testing::TempDir() + "bulkheadd-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~ScratchFolder() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name) const { return folder_ + '/' + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
    return file(name);
  }
  std::string read(const std::string& name) const {
    std::ifstream stream(file(name));
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::string folder_;
};

template <class Act>
std::string error_of(Act&& act, ErrorCode code) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "no error";
}

}  // namespace bulkhead

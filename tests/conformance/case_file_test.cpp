// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/case_file.h"

#include <gtest/gtest.h>

#include "controller/base/error.h"
#include "tests/conformance/runner.h"

namespace bulkhead::conformance {
namespace {

std::string mistake_in(const std::string& text) {
  try {
    check_operations(parse_cases(text, "x.cases"));
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(CaseFile, reads_hosts_kernels_setup_and_cases) {
  const CaseFile file = parse_cases(
      "# About.\nhost one two\nkernel < 7\n\nsetup\n  mkdir /a\n\ncase \"first\"\n  rmdir /a -> EBUSY\n"
      "case \"second\"\n  kernel >= 6.12\n  derived \"a book\"\n  read /b ~ \"c\"  # why\n",
      "x.cases");
  EXPECT_EQ(file.hosts, (std::vector<std::string>{"one", "two"}));
  ASSERT_EQ(file.setup.size(), 1U);
  EXPECT_EQ(file.setup[0].arguments, std::vector<std::string>{"/a"});
  ASSERT_EQ(file.cases.size(), 2U);
  EXPECT_EQ(file.cases[0].name, "first");
  EXPECT_TRUE(file.cases[0].kernels.contains({6, 1}));
  EXPECT_FALSE(file.cases[0].kernels.contains({7, 0}));
  EXPECT_EQ(file.cases[0].operations[0].expected.error, EBUSY);
  EXPECT_FALSE(file.cases[1].kernels.contains({6, 11}));
  EXPECT_TRUE(file.cases[1].kernels.contains({6, 12}));
  EXPECT_FALSE(file.cases[1].kernels.contains({7, 0}));
  EXPECT_EQ(file.cases[1].derived, "a book");
  EXPECT_EQ(file.cases[1].operations[0].expected.text, "c");
  EXPECT_EQ(file.cases[1].operations[0].line, 13U);
}

TEST(CaseFile, reads_texts_with_escapes_repetitions_and_joints) {
  const std::vector<Word> words = words_of(R"(write /a "1\n\t\0\"\\" + 3*"xy" -> EINVAL "Missing ':'" # no)");
  ASSERT_EQ(words.size(), 6U);
  EXPECT_EQ(words[2].text, std::string("1\n\t\0\"\\xyxyxy", 12));
  EXPECT_TRUE(words[2].quoted);
  EXPECT_TRUE(words[3].is("->"));
  EXPECT_EQ(words[5].text, "Missing ':'");
  EXPECT_EQ(in_quotes(std::string("a\n\0", 3)), R"("a\n\0")");
}

TEST(CaseFile, a_quoted_word_is_never_a_keyword) {
  const CaseFile file = parse_cases("host h\ncase \"c\"\n  write /a \"->\" -> EINVAL\n", "x.cases");
  EXPECT_EQ(file.cases[0].operations[0].arguments[1], "->");
}

TEST(CaseFile, names_file_and_line_of_a_mistake) {
  const std::string start = "host h\ncase \"c\"\n  ";
  EXPECT_EQ(mistake_in("host h\nmkdir /a\n"), "x.cases:2:1: an operation before the first case or setup");
  EXPECT_EQ(mistake_in(start + "read /a -> EFOO\n"), "x.cases:3:1: no such errno: EFOO");
  EXPECT_EQ(mistake_in(start + "read /a ~\n"), "x.cases:3:1: nothing after ~");
  EXPECT_EQ(mistake_in(start + "write /a \"b\n"), "x.cases:3:1: a text that begins with \" lacks its end");
  EXPECT_EQ(mistake_in(start + "write /a \"\\x\"\n"), "x.cases:3:1: no such escape in a text: \\x");
  EXPECT_EQ(mistake_in(start + "kernel = 7\n"), "x.cases:3:1: kernel needs < or >= and a version");
  EXPECT_EQ(mistake_in(start + "kernel < x\n"), "x.cases:3:1: not a kernel's version: x");
  EXPECT_EQ(mistake_in(start + "make /a\n"), "x.cases:3:1: no such operation: make");
  EXPECT_EQ(mistake_in(start + "write /a\n"), "x.cases:3:1: write takes 2 arguments, not 1");
  EXPECT_EQ(mistake_in("host h\ncase \"c\"\ncase \"c\"\n"), "x.cases:3:1: there are two cases called \"c\"");
  EXPECT_EQ(mistake_in("case \"c\"\n"), "x.cases: names no host");
}

}  // namespace
}  // namespace bulkhead::conformance

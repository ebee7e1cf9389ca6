// SPDX-License-Identifier: Apache-2.0
// bulkhead(1) has every verb and option of the program, and no other.
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <string>

#include "controller/cli/verbs.h"

namespace bulkhead {
namespace {

using Names = std::set<std::string>;

// The bold words that begin the entries of a section.
Names entries_of(const std::string& section) {
  std::ifstream page(BULKHEAD_SOURCE_DIR "/man/bulkhead.1.scd");
  EXPECT_TRUE(page);
  const std::regex word(R"(\*(-*[a-z-]+)\*)");
  Names names;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("# ")) inside = line == "# " + section;
    if (!inside || !line.starts_with('*')) continue;
    for (std::sregex_iterator found(line.begin(), line.end(), word), end; found != end; ++found) {
      names.insert((*found)[1]);
    }
  }
  return names;
}

TEST(ManPage, has_the_verbs_of_the_program) {
  Names known;
  for (const Verb& verb : verbs()) known.insert(std::string(verb.name));
  EXPECT_EQ(entries_of("VERBS"), known);
}

TEST(ManPage, has_the_options_of_the_program) {
  Names known{"--version"};  // of no verb
  for (const Verb& verb : verbs()) {
    for (const Option* option : verb.options) known.insert("--" + std::string(option->name));
  }
  EXPECT_EQ(entries_of("OPTIONS"), known);
}

}  // namespace
}  // namespace bulkhead

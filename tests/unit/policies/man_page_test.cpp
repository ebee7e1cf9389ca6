// SPDX-License-Identifier: Apache-2.0
// bulkhead-policy(5) has every keyword of the reader, and no other.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "policies/keywords.h"

namespace bulkhead {
namespace {

using Names = std::set<std::string>;

// The bold words at the start of lines, by the "; keywords: TABLE" comment that they follow.
std::map<std::string, Names> documented_keywords() {
  std::ifstream page(BULKHEAD_SOURCE_DIR "/man/bulkhead-policy.5.scd");
  EXPECT_TRUE(page);
  const std::string mark = "; keywords: ";
  const std::regex word(R"(\*([a-z0-9_$]+)\*)");
  std::map<std::string, Names> tables;
  std::string table;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with(mark)) table = line.substr(mark.size());
    if (line.starts_with("# ")) table.clear();
    if (table.empty() || !line.starts_with('*')) continue;
    for (std::sregex_iterator found(line.begin(), line.end(), word), end; found != end; ++found) {
      tables[table].insert((*found)[1]);
    }
  }
  return tables;
}

TEST(ManPage, has_the_keywords_of_the_reader) {
  std::map<std::string, Names> known;
  for (const KeywordTable* table : keyword_tables()) {
    if (table->name == "cache_amount") continue;  // a part of l3's
    for (const Keyword& keyword : table->keywords) {
      known[std::string(table->name)].insert(std::string(keyword.name));
    }
  }
  EXPECT_EQ(documented_keywords(), known);
}

}  // namespace
}  // namespace bulkhead

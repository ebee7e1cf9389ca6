// SPDX-License-Identifier: Apache-2.0
// bulkhead-policy(5) and bulkhead-experiment(5) have every keyword of their readers, and no other; and what
// the second shows is right.
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <span>
#include <string>

#include "policies/experiment_keywords.h"
#include "policies/experiment_reader.h"
#include "policies/keywords.h"

namespace bulkhead {
namespace {

using Names = std::set<std::string>;

std::ifstream open_page(const std::string& name) {
  std::ifstream page(BULKHEAD_SOURCE_DIR "/man/" + name + ".scd");
  EXPECT_TRUE(page);
  return page;
}

// The bold words at the start of lines, by the "; keywords: TABLE" comment that they follow.
std::map<std::string, Names> documented_keywords(const std::string& name) {
  std::ifstream page = open_page(name);
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

std::map<std::string, Names> known_keywords(std::span<const KeywordTable* const> tables) {
  std::map<std::string, Names> known;
  for (const KeywordTable* table : tables) {
    if (table->name == "cache_amount") continue;  // a part of l3's
    for (const Keyword& keyword : table->keywords) {
      known[std::string(table->name)].insert(std::string(keyword.name));
    }
  }
  return known;
}

// The literal blocks, as a reader of the page sees them.
std::vector<std::string> examples_of(const std::string& name) {
  std::ifstream page = open_page(name);
  std::vector<std::string> blocks;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line == "```") {
      inside = !inside;
      if (inside) blocks.emplace_back();
    } else if (inside) {
      blocks.back() += std::regex_replace(line, std::regex(R"(\\(.))"), "$1") + '\n';
    }
  }
  return blocks;
}

TEST(ManPage, has_the_keywords_of_the_reader_of_policies) {
  EXPECT_EQ(documented_keywords("bulkhead-policy.5"), known_keywords(keyword_tables()));
}

TEST(ManPage, has_the_keywords_of_the_reader_of_experiments) {
  EXPECT_EQ(documented_keywords("bulkhead-experiment.5"), known_keywords(experiment_keyword_tables()));
}

TEST(ManPage, shows_a_whole_experiment_and_then_members_that_fit_into_it) {
  const auto blocks = examples_of("bulkhead-experiment.5");
  ASSERT_GT(blocks.size(), 5U);
  nlohmann::ordered_json whole = nlohmann::ordered_json::parse(blocks.front());
  const ExperimentReading reading = read_experiment(blocks.front());
  EXPECT_TRUE(reading.experiment) << render("page", reading.diagnostics);
  whole.erase("guards");  // of metrics that other examples do not have
  whole.erase("limits");
  for (const std::string& block : std::span(blocks).subspan(1)) {
    nlohmann::ordered_json with = whole;
    const auto members = nlohmann::ordered_json::parse('{' + block + '}');
    for (const auto& [key, value] : members.items()) with[key] = value;
    const ExperimentReading one = read_experiment(with.dump());
    EXPECT_TRUE(one.experiment) << block << render("page", one.diagnostics);
    EXPECT_NE(with, whole) << block;
  }
}

}  // namespace
}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// policies/policy.schema.json says what the reader says. The other half, that a validator agrees on the same
// corpus, is schema_test.py.
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "policies/keywords.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

const std::string kSource = BULKHEAD_SOURCE_DIR;

nlohmann::json definitions() {
  std::ifstream file(kSource + "/policies/policy.schema.json");
  return nlohmann::json::parse(file).at("$defs");
}

TEST(Schema, has_the_keywords_of_each_table_with_their_help) {
  const nlohmann::json all = definitions();
  for (const KeywordTable* table : keyword_tables()) {
    const nlohmann::json& definition = all.at(std::string(table->name));
    const nlohmann::json& properties = definition.at("properties");
    EXPECT_EQ(definition.at("additionalProperties"), false) << table->name;
    EXPECT_EQ(properties.size(), table->keywords.size()) << table->name;
    std::set<std::string> required;
    for (const Keyword& keyword : table->keywords) {
      if (keyword.presence == Presence::required) required.emplace(keyword.name);
      ASSERT_TRUE(properties.contains(std::string(keyword.name))) << table->name << '.' << keyword.name;
      EXPECT_EQ(properties.at(std::string(keyword.name)).at("description"), keyword.help);
    }
    const auto stated = definition.value("required", nlohmann::json::array());
    EXPECT_EQ(stated.get<std::set<std::string>>(), required) << table->name;
  }
}

TEST(Schema, defines_no_object_that_has_no_table) {
  std::set<std::string> tables;
  for (const KeywordTable* table : keyword_tables()) tables.emplace(table->name);
  const nlohmann::json all = definitions();
  for (const auto& [name, definition] : all.items()) {
    EXPECT_EQ(definition.value("type", "") == "object", tables.contains(name)) << name;
  }
}

TEST(Schema, judges_the_corpus_as_the_reader_does) {
  std::ifstream file(kSource + "/tests/unit/policies/schema_corpus.txt");
  std::size_t policies = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    ++policies;
    const bool valid = line.starts_with("valid");
    const PolicyReading reading = read_policy(std::string_view(line).substr(line.find(' ')));
    EXPECT_EQ(reading.policy.has_value(), valid) << line << '\n' << render("", reading.diagnostics);
  }
  EXPECT_GT(policies, 200U);
}

}  // namespace
}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
// The schemas in policies/ say what the readers say. The other half, that a validator agrees on the same
// corpora, is schema_test.py.
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "policies/experiment_keywords.h"
#include "policies/experiment_reader.h"
#include "policies/keywords.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

const std::string kSource = BULKHEAD_SOURCE_DIR;

struct Language {
  std::string schema, corpus;
  std::span<const KeywordTable* const> tables;
  std::vector<Diagnostic> (*read)(std::string_view text);
};

std::vector<Diagnostic> diagnostics_of_policy(std::string_view text) {
  return read_policy(text).diagnostics;
}

std::vector<Diagnostic> diagnostics_of_experiment(std::string_view text) {
  return read_experiment(text).diagnostics;
}

class Schema : public testing::TestWithParam<Language> {
 protected:
  static nlohmann::json definitions() {
    std::ifstream file(kSource + "/policies/" + GetParam().schema);
    return nlohmann::json::parse(file).at("$defs");
  }
};

TEST_P(Schema, has_the_keywords_of_each_table_with_their_help) {
  const nlohmann::json all = definitions();
  for (const KeywordTable* table : GetParam().tables) {
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

TEST_P(Schema, defines_no_object_that_has_no_table) {
  std::set<std::string> tables;
  for (const KeywordTable* table : GetParam().tables) tables.emplace(table->name);
  const nlohmann::json all = definitions();
  for (const auto& [name, definition] : all.items()) {
    EXPECT_EQ(definition.value("type", "") == "object", tables.contains(name)) << name;
  }
}

TEST_P(Schema, judges_the_corpus_as_the_reader_does) {
  std::ifstream file(kSource + "/tests/unit/policies/" + GetParam().corpus);
  std::size_t documents = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    ++documents;
    const bool valid = line.starts_with("valid");
    const auto diagnostics = GetParam().read(std::string_view(line).substr(line.find(' ')));
    EXPECT_EQ(diagnostics.empty(), valid) << line << '\n' << render("", diagnostics);
  }
  EXPECT_GT(documents, 200U);
}

INSTANTIATE_TEST_SUITE_P(Policies, Schema,
                         testing::Values(Language{"policy.schema.json", "schema_corpus.txt", keyword_tables(),
                                                  diagnostics_of_policy}),
                         [](const auto&) { return "policy"; });
INSTANTIATE_TEST_SUITE_P(Experiments, Schema,
                         testing::Values(Language{"experiment.schema.json", "experiment_corpus.txt",
                                                  experiment_keyword_tables(), diagnostics_of_experiment}),
                         [](const auto&) { return "experiment"; });

}  // namespace
}  // namespace bulkhead

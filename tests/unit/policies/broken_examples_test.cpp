// SPDX-License-Identifier: Apache-2.0
// examples/broken/NAME.json is one faulty policy or experiment for each thing that can be wrong, NAME.txt
// what `bulkhead check` says of it. BULKHEAD_UPDATE_GOLDENS=1 rewrites the texts.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "controller/base/text.h"
#include "policies/document_kind.h"
#include "policies/experiment_reader.h"
#include "policies/problems.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

namespace fs = std::filesystem;

const fs::path kBroken = fs::path(BULKHEAD_SOURCE_DIR) / "examples/broken";

// Only a document of megabytes shows these; reader_test.cpp and json_document_test.cpp do.
// And these only one who reads a document as what it is not; experiment_reader_test.cpp does.
const std::set<std::string_view> kShownElsewhere{"too-large",       "too-many-values", "more-problems",
                                                 "experiment-here", "policy-here",     "no-experiment-there"};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Diagnostic> diagnostics_of_example(const std::string& name) {
  const std::string text = read_file(kBroken / (name + ".json"));
  return kind_of(text) == DocumentKind::experiment ? read_experiment(text).diagnostics
                                                   : read_policy(text).diagnostics;
}

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kBroken)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem());
  }
  std::ranges::sort(names);
  return names;
}

std::string pattern_of(std::string_view text) {
  std::string pattern;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool hole = text.substr(at, 2) == "{}";
    // '*' and '?' of the wording itself match themselves as patterns, too.
    pattern += hole ? '*' : text[at];
    if (hole) ++at;
  }
  return pattern;
}

class BrokenExample : public testing::TestWithParam<std::string> {};

TEST_P(BrokenExample, has_exactly_the_text_beside_it) {
  const std::string text = render("examples/broken/" + GetParam() + ".json", diagnostics_of_example(GetParam()));
  EXPECT_FALSE(text.empty());
  const fs::path golden = kBroken / (GetParam() + ".txt");
  if (std::getenv("BULKHEAD_UPDATE_GOLDENS") != nullptr) std::ofstream(golden, std::ios::binary) << text;
  EXPECT_EQ(text, read_file(golden));
}

TEST_P(BrokenExample, shows_the_problem_it_is_named_after) {
  const auto texts = problem_texts();
  const auto problem = std::ranges::find(texts, std::string_view(GetParam()), &ProblemText::name);
  ASSERT_NE(problem, texts.end()) << "no problem has this name";
  const std::string pattern = pattern_of(problem->text);
  const std::vector<Diagnostic> diagnostics = diagnostics_of_example(GetParam());
  EXPECT_TRUE(std::ranges::any_of(diagnostics, [&](const Diagnostic& diagnostic) {
    return matches_pattern(diagnostic.message, pattern);
  })) << render(GetParam(), diagnostics);
}

INSTANTIATE_TEST_SUITE_P(Policies, BrokenExample, testing::ValuesIn(example_names()), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(BrokenExamples, show_everything_that_can_be_wrong) {
  const std::vector<std::string> names = example_names();
  for (const ProblemText& problem : problem_texts()) {
    const bool shown = std::ranges::find(names, problem.name) != names.end();
    EXPECT_NE(shown, kShownElsewhere.contains(problem.name)) << problem.name;
  }
}

TEST(BrokenExamples, have_no_text_without_a_document) {
  for (const auto& entry : fs::directory_iterator(kBroken)) {
    EXPECT_TRUE(fs::exists(fs::path(entry.path()).replace_extension(".json"))) << entry.path();
  }
}

}  // namespace
}  // namespace bulkhead

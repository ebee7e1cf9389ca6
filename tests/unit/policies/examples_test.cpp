// SPDX-License-Identifier: Apache-2.0
// Every policy and experiment that is shipped as an example to follow is right.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

#include "policies/document_kind.h"
#include "policies/experiment_reader.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

namespace fs = std::filesystem;

TEST(Examples, are_without_a_problem) {
  const fs::path examples = fs::path(BULKHEAD_SOURCE_DIR) / "examples";
  std::size_t policies = 0, experiments = 0;
  for (const fs::path& folder : {examples, examples / "gen13", examples / "nginx-neighbour"}) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() != ".json") continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      if (kind_of(text) == DocumentKind::experiment) {
        const ExperimentReading reading = read_experiment(text);
        EXPECT_TRUE(reading.experiment.has_value()) << render(entry.path(), reading.diagnostics);
        ++experiments;
        continue;
      }
      const PolicyReading reading = read_policy(text);
      EXPECT_TRUE(reading.policy.has_value()) << render(entry.path(), reading.diagnostics);
      ++policies;
    }
  }
  EXPECT_GE(policies, 5U);
  EXPECT_GE(experiments, 4U);
}

}  // namespace
}  // namespace bulkhead

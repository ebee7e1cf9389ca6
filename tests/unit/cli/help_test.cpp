// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/help.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "controller/cli/style.h"

namespace bulkhead {
namespace {

void expect_fits(const std::string& text, std::size_t width) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width) << line;
}

TEST(Help, fits_the_terminal) {
  for (const std::size_t width : {100U, 80U, 40U}) {
    expect_fits(program_help(width), width);
    for (const Verb& verb : verbs()) expect_fits(verb_help(verb, width), width);
  }
}

TEST(Help, has_summaries_below_their_titles_where_there_is_no_room_beside_them) {
  const std::string help = verb_help(*find_verb("plan"), 40);
  EXPECT_NE(help.find("\n  --json\n      print one JSON document instead of\n      text\n"),
            std::string::npos)
      << help;
}

TEST(Help, as_json_has_the_verbs_that_are_asked_for) {
  const Verb* plan = find_verb("plan");
  const auto one = nlohmann::json::parse(help_json({plan, 1}));
  ASSERT_EQ(one["verbs"].size(), 1U);
  EXPECT_EQ(one["verbs"][0]["name"], "plan");
  EXPECT_EQ(one["verbs"][0]["options"].size(), plan->options.size());
  EXPECT_EQ(nlohmann::json::parse(help_json(verbs()))["verbs"].size(), verbs().size());
}

}  // namespace
}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/command_line.h"

#include <gtest/gtest.h>

#include "controller/base/error.h"

namespace bulkhead {
namespace {

using Words = std::vector<std::string>;

std::string refusal(const std::string& verb, const Words& words) {
  Console console;
  try {
    parse_call(require_verb(verb), words, console);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "accepted";
}

TEST(CommandLine, reads_options_and_arguments_in_any_order) {
  Console console;
  const Call call = parse_call(
      require_verb("plan"), {"--machine=a.json", "p.json", "--json", "--ccd-bandwidth", "40GB/s"}, console);
  EXPECT_EQ(call.options.machine, "a.json");
  EXPECT_TRUE(call.options.json);
  EXPECT_EQ(call.options.ccd_bandwidth, 40'000'000'000U);
  EXPECT_EQ(call.arguments, Words{"p.json"});
  EXPECT_FALSE(call.options.yes);
}

TEST(CommandLine, takes_a_dash_and_what_follows_two_dashes_as_arguments) {
  Console console;
  EXPECT_EQ(parse_call(require_verb("check"), {"-", "a"}, console).arguments, (Words{"-", "a"}));
  EXPECT_EQ(parse_call(require_verb("check"), {"--", "--json"}, console).arguments, Words{"--json"});
}

TEST(CommandLine, suggests_what_is_meant) {
  EXPECT_EQ(refusal("pln", {}), "there is no verb 'pln': did you mean 'plan'?");
  EXPECT_EQ(refusal("frobnicate", {}), "there is no verb 'frobnicate'; see 'bulkhead --help'");
  EXPECT_EQ(refusal("plan", {"--machin", "x"}), "plan has no option '--machin': did you mean --machine?");
  EXPECT_EQ(refusal("check", {"--frobnicate"}),
            "check has no option '--frobnicate'; see 'bulkhead check --help'");
  EXPECT_EQ(refusal("--machine", {}),
            "options come after the verb: 'bulkhead VERB --machine'; see 'bulkhead --help'");
}

TEST(CommandLine, refuses_options_of_other_verbs) {
  EXPECT_EQ(refusal("verify", {"--yes"}), "verify has no option '--yes'; see 'bulkhead verify --help'");
  EXPECT_EQ(refusal("plan", {"-y", "p"}), "plan has no option '-y'; see 'bulkhead plan --help'");
  EXPECT_EQ(refusal("plan", {"p", "-1"}), "plan has no option '-1'; see 'bulkhead plan --help'");
  EXPECT_EQ(refusal("plan", {"-machine=x"}), "plan has no option '-machine': did you mean --machine?");
}

TEST(CommandLine, counts_arguments) {
  EXPECT_EQ(refusal("plan", {}), "plan needs FILE; see 'bulkhead plan --help'");
  EXPECT_EQ(refusal("plan", {"a", "b"}), "plan takes one argument, not 'b'; see 'bulkhead plan --help'");
  EXPECT_EQ(refusal("reset", {"a"}), "reset takes no arguments, not 'a'; see 'bulkhead reset --help'");
  EXPECT_EQ(refusal("plan", {"--help"}), "accepted");
}

TEST(CommandLine, says_which_values_are_right) {
  EXPECT_EQ(refusal("plan", {"--color", "blue", "p"}),
            "'blue' is not a value of --color: use auto, always or never");
  EXPECT_EQ(refusal("plan", {"--ccd-bandwidth=40", "p"}),
            "'40' is not a value of --ccd-bandwidth: use a rate like 40GB/s");
  EXPECT_EQ(refusal("plan", {"--ccd-bandwidth", "-1", "p"}),
            "'-1' is not a value of --ccd-bandwidth: use a rate like 40GB/s");
  EXPECT_EQ(refusal("plan", {"--ccd-bandwidth=-40GB/s", "p"}),
            "'-40GB/s' is not a value of --ccd-bandwidth: use a rate like 40GB/s");
  EXPECT_EQ(refusal("apply", {"--actuator=pqos", "p"}),
            "'pqos' is not a value of --actuator: use auto, resctrl, pqos-msr or pqos-os");
  EXPECT_EQ(refusal("apply", {"--actuator=pqos-msr", "p"}), "accepted");
  EXPECT_EQ(refusal("status", {"--runtime-dir=here"}),
            "'here' is not a value of --runtime-dir: use an absolute path");
}

TEST(CommandLine, moves_options_of_all_verbs_behind_the_verb) {
  EXPECT_EQ(verb_first({"--color=never", "--json", "plan", "p"}),
            (Words{"plan", "--color=never", "--json", "p"}));
  EXPECT_EQ(verb_first({"--color", "never", "plan", "p"}), (Words{"plan", "--color", "never", "p"}));
  EXPECT_EQ(verb_first({"--yes", "plan"}), (Words{"--yes", "plan"}));
  EXPECT_EQ(verb_first({"--json"}), (Words{"--json"}));
  EXPECT_EQ(verb_first({}), Words{});
}

TEST(CommandLine, knows_that_errors_are_to_be_json_before_the_rest_makes_sense) {
  EXPECT_TRUE(wants_json({"pln", "--json"}));
  EXPECT_FALSE(wants_json({"check", "--", "--json"}));
}

TEST(Verbs, have_unique_names_and_every_option_a_summary) {
  for (const Verb& verb : verbs()) {
    EXPECT_EQ(find_verb(verb.name), &verb);
    EXPECT_FALSE(verb.summary.empty());
    for (const Option* option : verb.options) EXPECT_FALSE(option->summary.empty()) << option->name;
  }
}

}  // namespace
}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/experiment_order.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "controller/base/error.h"

namespace bulkhead {
namespace {

using Json = nlohmann::json;

constexpr unsigned kRoot = 0, kMember = 1000;
constexpr const char* kPolicy =
    R"({"bulkhead": 1, "name": "b", "services": {"web": {"select": {"cgroup": "/web"}, "cpus": "all"}}})";

// `arm` stands in arm b, `source` is where the metric comes from.
Json order(const std::string& arm = "",
           const std::string& source = R"("page": "http://localhost/m", "rate": "n")") {
  const std::string text =
      R"({"experiment": 1, "name": "try", "arms": {"a": {"policy": "none"}, "b": {"policy": "b.json")" + arm +
      R"(}}, "control": "a", "primary": "m", "metrics": {"m": {)" + source + R"(, "better": "higher"}}})";
  return {{"text", text}, {"policies", {{"b.json", kPolicy}}}};
}

std::string refusal(const Json& parameters, unsigned uid, ErrorCode code) {
  try {
    experiment_order(parameters, uid);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "taken";
}

TEST(ExperimentOrder, is_taken_from_anybody_where_it_only_reads_pages_over_http) {
  const ExperimentInput input = experiment_order(order(), kMember);
  EXPECT_EQ(input.source.file, "experiment");
  EXPECT_EQ(input.folder, "");
  ASSERT_EQ(input.policies.size(), 1U);
  EXPECT_EQ(input.policies.at("b.json").text, kPolicy);
  EXPECT_EQ(input.policies.at("b.json").file, "b.json");
}

TEST(ExperimentOrder, has_root_do_something_for_root_only) {
  struct Case {
    Json parameters;
    const char* deed;
  };
  const Case cases[] = {
      {order(R"(, "on_enter": {"command": ["true"]})"), R"(arm "b" runs a command)"},
      {order(R"(, "on_leave": {"command": ["true"]})"), R"(arm "b" runs a command)"},
      {order("", R"("command": ["nproc"])"), R"(metric "m" runs a command)"},
      {order("", R"("page": "page.prom", "rate": "n")"), R"(metric "m" reads a file)"},
  };
  for (const Case& one : cases) {
    Json parameters = one.parameters;
    parameters["folder"] = "/srv";
    EXPECT_EQ(refusal(parameters, kMember, ErrorCode::permission),
              std::string(one.deed) + ", and the daemon does so as root: only root may start that");
    EXPECT_EQ(experiment_order(parameters, kRoot).folder, "/srv");
    for (const char* folder : {"", "srv"}) {
      parameters["folder"] = folder;
      EXPECT_EQ(refusal(parameters, kRoot, ErrorCode::invalid),
                std::string(one.deed) + ": \"folder\" says where, and must be an absolute path");
    }
  }
}

TEST(ExperimentOrder, is_refused_with_a_folder_that_depends_on_where_the_daemon_is) {
  Json parameters = order();
  parameters["folder"] = "srv";
  EXPECT_EQ(refusal(parameters, kRoot, ErrorCode::invalid),
            "\"folder\" must be an absolute path, not \"srv\"");
}

TEST(ExperimentOrder, is_refused_with_a_folder_that_is_not_there) {
  Json parameters = order();
  for (const char* folder : {"/nope", "/proc/version"}) {
    parameters["folder"] = folder;
    EXPECT_EQ(refusal(parameters, kRoot, ErrorCode::not_found),
              "\"folder\" is no folder that is there: \"" + std::string(folder) + '"');
    EXPECT_EQ(experiment_order(parameters, kMember).folder, folder);  // nothing is done in it
  }
}

TEST(ExperimentOrder, that_holds_nothing_is_told_what_an_experiment_is) {
  Json parameters = order();
  for (const char* text : {"", " \n// nothing\n"}) {
    parameters["text"] = text;
    EXPECT_NE(refusal(parameters, kRoot, ErrorCode::invalid)
                  .find("the file holds nothing: an experiment is {\"experiment\": 1, "),
              std::string::npos);
  }
}

TEST(ExperimentOrder, has_each_policy_that_its_arms_name_and_no_other) {
  Json parameters = order();
  parameters["policies"] = Json::object();
  EXPECT_EQ(refusal(parameters, kRoot, ErrorCode::invalid),
            R"("policies" lacks "b.json", the policy of arm "b")");
  parameters["policies"] = {{"b.json", kPolicy}, {"c.json", kPolicy}};
  EXPECT_EQ(refusal(parameters, kRoot, ErrorCode::invalid), R"("policies" has "c.json", which no arm names)");
}

TEST(ExperimentOrder, names_the_policy_that_is_wrong) {
  Json parameters = order();
  parameters["policies"]["b.json"] = "{";
  EXPECT_EQ(refusal(parameters, kRoot, ErrorCode::invalid).substr(0, 7), "b.json:");
}

}  // namespace
}  // namespace bulkhead

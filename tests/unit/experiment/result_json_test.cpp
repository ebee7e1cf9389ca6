// SPDX-License-Identifier: Apache-2.0
// That the JSON keeps to its schema is tests/report/schema_test.py.
#include "controller/experiment/result_json.h"

#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "controller/base/error.h"
#include "tests/report/synthetic_result.h"

namespace bulkhead {
namespace {

std::string refused(std::string_view text) {
  try {
    parse_result(text, "r.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid);
    return error.what();
  }
  return "taken";
}

// The result with one value replaced.
std::string with(const char* pointer, const nlohmann::ordered_json& value) {
  auto json = result_json(plain_result());
  json[nlohmann::ordered_json::json_pointer(pointer)] = value;
  return json.dump();
}

TEST(ResultJson, is_the_same_after_a_way_there_and_back) {
  for (const ExperimentResult& result : {plain_result(), gen13_result(), open_result()}) {
    const std::string text = result_text(result);
    EXPECT_EQ(result_text(parse_result(text, "r.json")), text) << result.name;
  }
}

TEST(ResultJson, keeps_every_bit_of_a_number) {
  ExperimentResult result = plain_result();
  result.candidates[0].estimates[0].change = 0.1 + 0.2;
  result.windows[3].metrics[0].value = std::numeric_limits<double>::denorm_min();
  result.windows[3].ends = 1.7976931348623157e308;
  const ExperimentResult read = parse_result(result_text(result), "r.json");
  EXPECT_EQ(read.candidates[0].estimates[0].change, 0.1 + 0.2);
  EXPECT_EQ(read.windows[3].metrics[0].value, std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(read.windows[3].ends, 1.7976931348623157e308);
  EXPECT_EQ(read.seed, 9'007'199'254'740'991U);
}

TEST(ResultJson, keeps_what_the_judge_and_the_page_need) {
  const ExperimentResult read = parse_result(result_text(gen13_result()), "r.json");
  ASSERT_EQ(read.limit_hits.size(), 1U);
  EXPECT_EQ(read.limit_hits[0].arm, "pqos-2");
  EXPECT_EQ(read.limit_hits[0].value, 0.26);
  EXPECT_EQ(read.candidates[0].estimates[0].confidence, 0.9875);
  EXPECT_EQ(read.candidates[2].verdict, ArmVerdict::failed_safe);
  EXPECT_EQ(read.candidates[0].bands[0].from, std::nullopt);
  EXPECT_EQ(read.candidates[0].bands[0].to, 0.5);
  EXPECT_EQ(read.higher_is_better, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(read.guards[0].second, 0.05);
  EXPECT_EQ(read.arms[0].plan, "");
  EXPECT_EQ(read.arms[1].plan, gen13_result().arms[1].plan);
}

TEST(ResultJson, has_no_number_where_there_is_none) {
  ExperimentResult result = plain_result();
  result.candidates[0].estimates[0].e_value = std::numeric_limits<double>::infinity();
  result.windows[0].metrics[0] = {std::nullopt, "the page is empty"};
  const auto json = result_json(result);
  EXPECT_TRUE(json["candidates"][0]["estimates"][0]["e_value"].is_null());
  EXPECT_EQ(json["windows"][0]["metrics"][0].dump(), R"({"value":null,"why_none":"the page is empty"})");
  const ExperimentResult read = parse_result(json.dump(), "r.json");
  EXPECT_EQ(read.candidates[0].estimates[0].e_value, std::numeric_limits<double>::infinity());
}

TEST(ResultJson, has_no_verdict_before_there_is_one) {
  ExperimentResult result = plain_result();
  result.verdict.clear();
  EXPECT_TRUE(result_json(result)["verdict"].is_null());
  EXPECT_EQ(parse_result(result_text(result), "r.json").verdict, "");
  EXPECT_EQ(parse_result(with("/verdict", ""), "r.json").verdict, "");  // of earlier versions
}

TEST(ResultJson, names_the_first_thing_that_is_wrong) {
  EXPECT_EQ(refused("{"), "r.json: the result is not JSON");
  EXPECT_EQ(refused("[]"), "r.json: the result is not an object");
  EXPECT_EQ(refused("{}"), "r.json: /experiment_result is missing");
  EXPECT_EQ(refused(R"({"experiment_result": 2})"), "r.json: /experiment_result is not 1");
  EXPECT_EQ(refused(with("/seed", -1)), "r.json: /seed is not a whole number");
  EXPECT_EQ(refused(with("/extra", 1)), "r.json: /extra is not known");
  EXPECT_EQ(refused(with("/windows/2/ends", "x")), "r.json: /windows/2/ends is neither a number nor null");
  EXPECT_EQ(refused(with("/windows/2/block", 4294967296)), "r.json: /windows/2/block is too large");
  EXPECT_EQ(refused(with("/windows/0/metrics", 1)), "r.json: /windows/0/metrics is not a list");
  EXPECT_EQ(refused(with("/candidates/0/verdict", "yes")),
            "r.json: /candidates/0/verdict \"yes\" is no verdict");
  EXPECT_EQ(refused(with("/metrics/0/better", "more")),
            "r.json: /metrics has a direction that is neither \"higher\" nor \"lower\"");
}

}  // namespace
}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/api/admission.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

// The parameters that the handler gets, or "CODE (WORD): MESSAGE".
std::string admitted(const std::string& method, const std::string& params, Right right = Right::admin) {
  const Caller caller{.uid = 1000, .right = right};
  const auto outcome = admit(caller, {.id = "1", .method = method, .params = nlohmann::json::parse(params)});
  if (const auto* call = std::get_if<AdmittedCall>(&outcome)) {
    EXPECT_EQ(call->method->name, method);
    return call->params.dump();
  }
  const auto& [code, error] = std::get<Refusal>(outcome);
  return std::to_string(code) + " (" + std::string(to_string(error.code())) + "): " + error.what();
}

TEST(Admission, parameters_come_by_name_or_by_position) {
  EXPECT_EQ(admitted("policy.apply", R"({"if_generation":3,"text":"{}"})"),
            R"({"if_generation":3,"text":"{}"})");
  EXPECT_EQ(admitted("policy.apply", R"(["{}","p.json",3,true])"),
            R"({"dry_run":true,"if_generation":3,"name":"p.json","text":"{}"})");
  EXPECT_EQ(admitted("state.status", "null"), "{}");
  EXPECT_EQ(admitted("state.status", "[]"), "{}");
  EXPECT_EQ(admitted("state.status", R"({"fresh":true})"), R"({"fresh":true})");
  EXPECT_EQ(admitted("policy.plan", R"(["{}","p.json",{"name":"m"}])"),
            R"({"machine":{"name":"m"},"name":"p.json","text":"{}"})");
}

TEST(Admission, what_does_not_fit_is_refused_with_what_would) {
  EXPECT_EQ(admitted("policy.apply", R"({"txet":"{}"})"),
            R"(-32602 (usage): policy.apply: there is no parameter "txet"; did you mean "text"?)");
  EXPECT_EQ(
      admitted("policy.apply", R"({"text":"{}","zzzzzz":1})"),
      R"(-32602 (usage): policy.apply: there is no parameter "zzzzzz"; it has text, name, if_generation, dry_run)");
  EXPECT_EQ(admitted("policy.active", R"({"x":1})"),
            R"(-32602 (usage): policy.active: there is no parameter "x"; it has none)");
  EXPECT_EQ(admitted("policy.active", "[1]"), "-32602 (usage): policy.active: 1 parameter, but it has none");
  EXPECT_EQ(admitted("policy.reset", "[1,2]"),
            "-32602 (usage): policy.reset: 2 parameters, but it has if_generation");
  EXPECT_EQ(admitted("policy.apply", "{}"),
            R"(-32602 (usage): policy.apply: the parameter "text" is missing: a string)");
  EXPECT_EQ(admitted("policy.apply", R"({"text":7})"),
            R"(-32602 (usage): policy.apply: "text" is a string, not 7)");
  EXPECT_EQ(admitted("policy.apply", R"({"text":"","if_generation":-1})"),
            R"(-32602 (usage): policy.apply: "if_generation" is an integer from 0 on, not -1)");
  EXPECT_EQ(admitted("policy.apply", R"({"text":"","if_generation":1.0})"),
            R"(-32602 (usage): policy.apply: "if_generation" is an integer from 0 on, not 1.0)");
  EXPECT_EQ(admitted("policy.apply", R"({"text":"","dry_run":"yes"})"),
            R"(-32602 (usage): policy.apply: "dry_run" is true or false, not "yes")");
  EXPECT_EQ(admitted("policy.apply", R"(["",null])"),
            R"(-32602 (usage): policy.apply: "name" is a string, not null)");
  EXPECT_EQ(
      admitted("policy.plan", R"({"text":"","machine":5})"),
      R"(-32602 (usage): policy.plan: "machine" is a name, or the object that a machine file has, not 5)");
}

TEST(Admission, processes_are_ids_of_processes) {
  EXPECT_EQ(admitted("service.attach", R"({"service":"a","pids":[1,2147483647]})"),
            R"({"pids":[1,2147483647],"service":"a"})");
  for (const std::string wrong : {"7", "[]", "[0]", "[-1]", "[2147483648]", "[\"1\"]", "[1.0]"}) {
    EXPECT_EQ(admitted("service.attach", R"({"service":"a","pids":)" + wrong + '}'),
              R"(-32602 (usage): service.attach: "pids" is a list of 1 to 10000 process ids, not )" + wrong);
  }
}

TEST(Admission, kinds_of_events_are_known_ones) {
  EXPECT_EQ(admitted("events.subscribe", R"([["drift.found","lost"]])"),
            R"({"kinds":["drift.found","lost"]})");
  for (const std::string wrong : {"[]", "[\"drift\"]", "[\"lost\",\"lost\"]", "[1]"}) {
    EXPECT_EQ(
        admitted("events.subscribe", '[' + wrong + ']'),
        "-32602 (usage): events.subscribe: \"kinds\" is a list of different kinds of events, as rpc.discover "
        "names them, not " +
            wrong);
  }
}

TEST(Admission, methods_that_are_not_there_are_refused) {
  EXPECT_EQ(admitted("policy.aply", "null"),
            R"(-32601 (usage): there is no method "policy.aply"; did you mean "policy.apply"?)");
  EXPECT_EQ(admitted("zzz", "null"), R"(-32601 (usage): there is no method "zzz")");
  EXPECT_EQ(admitted("a\nb\x1b", "null"), R"(-32601 (usage): there is no method "a\nb\u001b")");
}

TEST(Admission, who_may_look_may_not_change) {
  for (const Method& method : methods()) {
    const std::string outcome = admitted(std::string(method.name), R"({"wrong":1})", Right::read);
    if (method.right == Right::read) {
      EXPECT_EQ(outcome.substr(0, 15), "-32602 (usage):") << method.name;
    } else {
      EXPECT_EQ(outcome, "-32005 (permission): " + std::string(method.name) +
                             " is for root and the admin group; user 1000 may only look");
    }
    EXPECT_EQ(admitted(std::string(method.name), "null", Right::none).substr(0, 20), "-32005 (permission):");
  }
}

TEST(Admission, only_these_change_something) {
  std::string names;
  for (const Method& method : methods()) {
    if (method.right == Right::admin) names += std::string(method.name) + ' ';
  }
  EXPECT_EQ(names,
            "policy.apply policy.reset service.attach service.detach experiment.start experiment.stop ");
}

}  // namespace
}  // namespace bulkhead

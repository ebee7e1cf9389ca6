// SPDX-License-Identifier: Apache-2.0
#include "controller/api/json_rpc.h"

#include <gtest/gtest.h>
#include <initializer_list>
#include <set>
#include <string>

#include "controller/api/rpc_codes.h"

namespace bulkhead {
namespace {

constexpr std::size_t kMostInBatch = 3;

// "ID METHOD PARAMS" of requests, "ID CODE: MESSAGE" of mistakes, in brackets for a batch.
std::string understood(std::string_view line) {
  const RpcMessage message = read_message(line, kMostInBatch);
  std::string text;
  for (const auto& item : message.items) {
    if (!text.empty()) text += " | ";
    if (const auto* request = std::get_if<RpcRequest>(&item)) {
      text +=
          (request->id.empty() ? "-" : request->id) + ' ' + request->method + ' ' + request->params.dump();
    } else {
      const auto& [id, refusal] = std::get<RpcMistake>(item);
      text += id + ' ' + std::to_string(refusal.code) + ": " + refusal.error.what();
    }
  }
  return message.batch ? '[' + text + ']' : text;
}

struct CodecCase {
  std::string line, understood;
};

void expect_understood(std::initializer_list<CodecCase> cases) {
  for (const CodecCase& one : cases) EXPECT_EQ(understood(one.line), one.understood) << one.line;
}

TEST(JsonRpc, requests_are_read) {
  expect_understood({{R"({"jsonrpc":"2.0","id":1,"method":"m"})", "1 m null"},
                     {R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[1]}})", R"(1 m {"a":[1]})"},
                     {R"({"jsonrpc":"2.0","id":1,"method":"m","params":[2,3]})", "1 m [2,3]"},
                     {"{\"jsonrpc\":\"2.0\", \"method\":\"m\"}\r", "- m null"},
                     {R"({"jsonrpc":"2.0","id":null,"method":"m"})", "null m null"},
                     {R"({"jsonrpc":"2.0","id":"a\"\n\u00e9","method":"m"})", "\"a\\\"\\n\u00e9\" m null"},
                     {R"({"jsonrpc":"2.0","id":"","method":""})", R"(""  null)"},
                     {R"({"jsonrpc":"2.0","id":1.50,"method":"m"})", "1.50 m null"},
                     {R"({"jsonrpc":"2.0","id":1e2,"method":"m"})", "1e2 m null"},
                     {R"({"jsonrpc":"2.0","id":-7,"method":"m"})", "-7 m null"},
                     {R"({"id":123456789012345678901234567890,"jsonrpc":"2.0","method":"m"})",
                      "123456789012345678901234567890 m null"},
                     {R"({"jsonrpc":"2.0","id":2,"method":"m","params":{"id":1.50}})", R"(2 m {"id":1.5})"}});
}

TEST(JsonRpc, batches_are_read_item_by_item) {
  expect_understood(
      {{R"([{"jsonrpc":"2.0","id":1.0,"method":"a"},{"jsonrpc":"2.0","method":"b"},)"
        R"({"jsonrpc":"2.0","id":2.0,"method":"c"}])",
        "[1.0 a null | - b null | 2.0 c null]"},
       {"[]", "null -32600: a batch has at least one request"},
       {"[1,2,3]",
        "[null -32600: a request is an object | null -32600: a request is an object | "
        "null -32600: a request is an object]"},
       {R"([1,{"jsonrpc":"2.0","id":1,"method":"m"}])", "[null -32600: a request is an object | 1 m null]"},
       {"[1,2,3,4]", "null -32600: a batch has at most 3 requests"},
       {R"([{"jsonrpc":"2.0","id":1,"method":"m"},)", "null -32700: this is no JSON, from byte 40 on"},
       {"[[]]", "[null -32600: a request is an object]"}});
}

TEST(JsonRpc, what_is_no_request_is_refused) {
  expect_understood(
      {{"1", "null -32600: a request is an object"},
       {"null", "null -32600: a request is an object"},
       {"{}", R"(null -32600: a request has "jsonrpc": "2.0")"},
       {R"({"jsonrpc":2.0,"id":1,"method":"m"})", R"(1 -32600: a request has "jsonrpc": "2.0")"},
       {R"({"jsonrpc":"1.0","id":"x","method":"m"})", R"("x" -32600: a request has "jsonrpc": "2.0")"},
       {R"({"jsonrpc":"2.0","method":1,"params":"bar"})",
        R"(null -32600: a request has a "method", which is a string)"},
       {R"({"jsonrpc":"2.0","id":3})", R"(3 -32600: a request has a "method", which is a string)"},
       {R"({"jsonrpc":"2.0","id":3,"method":"m","params":"bar"})",
        R"(3 -32600: "params" are an object or an array)"},
       {R"({"jsonrpc":"2.0","id":3,"method":"m","params":null})",
        R"(3 -32600: "params" are an object or an array)"},
       {R"({"jsonrpc":"2.0","id":true,"method":"m"})", "null -32600: an id is a string, a number or null"},
       {R"({"jsonrpc":"2.0","id":[1],"method":"m"})", "null -32600: an id is a string, a number or null"},
       {R"({"jsonrpc":"2.0","id":3,"method":"m","parms":{}})",
        R"(3 -32600: a request has no member "parms"; did you mean "params"?)"},
       {R"({"jsonrpc":"2.0","id":3,"method":"m","x-trace":1})",
        R"(3 -32600: a request has no member "x-trace")"},
       {R"({"jsonrpc":"2.0","id":3,"method":"a","method":"b"})",
        R"(null -32600: the key "method" stands there twice)"},
       {R"({"jsonrpc":"2.0","id":3,"method":"a","params":{"x":1,"x":1}})",
        R"(null -32600: the key "x" stands there twice)"}});
}

TEST(JsonRpc, what_is_no_json_is_refused) {
  expect_understood({{"", "null -32700: this is no JSON, from byte 1 on"},
                     {"hello", "null -32700: this is no JSON, from byte 1 on"},
                     {"{} {}", "null -32700: this is no JSON, from byte 4 on"},
                     {R"({"jsonrpc":"2.0",})", "null -32700: this is no JSON, from byte 18 on"},
                     {"{'a':1}", "null -32700: this is no JSON, from byte 2 on"},
                     {"// {}", "null -32700: this is no JSON, from byte 1 on"},
                     {"[1e999]", "null -32700: a number is too large, before byte 6"},
                     {"{\"a\":\"\xff\"}", "null -32700: this is no JSON, from byte 7 on"},
                     {"{\"a\":\"\xed\xa0\x80\"}", "null -32700: this is no JSON, from byte 8 on"},
                     {R"({"a":"\ud800"})", "null -32700: this is no JSON, from byte 13 on"},
                     {std::string("{}\0{}", 5), "null -32700: there is a NUL, at byte 3"},
                     {std::string("\0", 1), "null -32700: there is a NUL, at byte 1"}});
}

TEST(JsonRpcBounds, what_is_nested_too_deep_is_refused) {
  const auto nested = [](std::size_t depth) {
    return R"({"jsonrpc":"2.0","id":1,"method":"m","params":)" + std::string(depth - 1, '[') +
           std::string(depth - 1, ']') + '}';
  };
  EXPECT_EQ(understood(nested(kDeepestMessage)).substr(0, 4), "1 m ");
  EXPECT_EQ(understood(nested(kDeepestMessage + 1)),
            "null -32600: objects and arrays are nested at most 32 deep");
  EXPECT_EQ(understood(std::string(1 << 20, '[')),
            "null -32600: objects and arrays are nested at most 32 deep");
}

TEST(JsonRpcBounds, a_message_of_too_many_values_is_refused) {
  std::string line = R"({"jsonrpc":"2.0","id":1,"method":"m","params":[)";
  for (std::size_t value = 0; value < kMostMessageValues; ++value) line += "0,";
  EXPECT_EQ(understood(line + "0]}"), "null -32600: a message has at most 65536 values");
}

TEST(JsonRpcBounds, ten_thousand_requests_are_refused_as_one) {
  std::string line = "[";
  for (int request = 0; request < 10'000; ++request) line += R"({"jsonrpc":"2.0","id":1,"method":"m"},)";
  line.back() = ']';
  EXPECT_EQ(understood(line), "null -32600: a batch has at most 3 requests");
}

TEST(JsonRpcAnswers, are_one_line) {
  EXPECT_EQ(answer_text("1.50", nlohmann::ordered_json{{"b", "x\ny"}, {"a", nullptr}}),
            R"({"jsonrpc":"2.0","id":1.50,"result":{"b":"x\ny","a":null}})");
  EXPECT_EQ(answer_text("\"x\"", Answer::rendered("[1]")), R"({"jsonrpc":"2.0","id":"x","result":[1]})");
}

TEST(JsonRpcAnswers, a_refusal_has_code_message_and_detail) {
  Error error(ErrorCode::infeasible, "no such node");
  error.set_place("p.json", 3, 7, "/services");
  EXPECT_EQ(
      answer_text("7", error),
      R"({"jsonrpc":"2.0","id":7,"error":{"code":-32003,"message":"p.json:3:7: no such node","data":)"
      R"({"code":"infeasible","message":"no such node","remedy":null,"file":"p.json","line":3,"column":7,)"
      R"("pointer":"/services","path":null,"errno":null,"kernel_status":null,"context":[]}}})");
}

TEST(JsonRpcAnswers, bytes_that_are_no_text_are_replaced) {
  EXPECT_EQ(answer_text("1", nlohmann::ordered_json("a\xff")),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"a\ufffd\"}");
}

TEST(RpcCodes, are_different_and_in_the_range_of_servers) {
  std::set<int> numbers;
  for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code) {
    const int number = rpc_code(static_cast<ErrorCode>(code));
    EXPECT_GE(number, -32099);
    EXPECT_LE(number, -32000);
    EXPECT_TRUE(numbers.insert(number).second) << number;
  }
}

}  // namespace
}  // namespace bulkhead

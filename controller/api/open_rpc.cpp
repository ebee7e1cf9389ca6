// SPDX-License-Identifier: Apache-2.0
#include "controller/api/open_rpc.h"

#include <nlohmann/json.hpp>

#include "controller/api/answer.h"
#include "controller/api/methods.h"
#include "controller/api/result_schemas.h"
#include "controller/api/rpc_codes.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kVersion =
    "1.0.0";  // of the API: a change that breaks callers raises the first number

Json schema_of(const Parameter& parameter) {
  return {{"name", parameter.name},
          {"summary", parameter.summary},
          {"required", parameter.required},
          {"schema", Json::parse(row_of(parameter.type).schema)}};
}

// Every error that there can be, by its name: each code of ours, and the standard's.
Json error_objects() {
  Json errors = Json::object();
  for (int number = 0; number <= static_cast<int>(ErrorCode::internal); ++number) {
    const auto code = static_cast<ErrorCode>(number);
    errors[std::string(to_string(code))] = {{"code", rpc_code(code)}, {"message", to_string(code)}};
  }
  for (const StandardRpcError& error : kStandardRpcErrors) {
    errors[std::string(error.name)] = {{"code", error.code}, {"message", error.name}};
  }
  return errors;
}

Json error_references() {
  Json list = Json::array();
  const Json errors = error_objects();
  for (const auto& error : errors.items()) {
    list.push_back({{"$ref", "#/components/errors/" + error.key()}});
  }
  return list;
}

Json method_object(const Method& method, const Json& errors) {
  Json parameters = Json::array();
  for (const Parameter& parameter : method.parameters) parameters.push_back(schema_of(parameter));
  Json object{{"name", method.name},
              {"summary", method.summary},
              {"paramStructure", "either"},
              {"params", std::move(parameters)},
              {"result",
               {{"name", "result"},
                {"summary", method.result},
                {"schema", {{"$ref", "#/components/schemas/" + std::string(method.result_schema)}}}}},
              {"errors", errors},
              {"x-right", to_string(method.right)}};
  Json events = Json::array();
  for (const EventKind kind : method.events) events.push_back(to_string(kind));
  if (!events.empty()) object["x-events"] = std::move(events);
  return object;
}

Json error_detail_schema() {
  const Json text{{"type", {"string", "null"}}};
  const Json number{{"type", {"integer", "null"}}};
  Json codes = Json::array();
  for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code) {
    codes.push_back(to_string(static_cast<ErrorCode>(code)));
  }
  return {{"description", "the data of every error; what does not apply is null"},
          {"type", "object"},
          {"required", {"code", "message"}},
          {"properties",
           {{"code", {{"enum", std::move(codes)}}},
            {"message", {{"type", "string"}}},
            {"remedy", text},
            {"file", text},
            {"line", number},
            {"column", number},
            {"pointer", text},
            {"path", text},
            {"errno", number},
            {"kernel_status", text},
            {"context", {{"type", "array"}, {"items", {{"type", "string"}}}}}}}};
}

Json schemas() {
  Json kinds = Json::array();
  for (const EventKindRow& row : event_kinds())
    kinds.push_back({{"const", row.name}, {"description", row.summary}});
  const Json natural{{"type", "integer"}, {"minimum", 1}};
  Json all{{"EventKind", {{"type", "string"}, {"oneOf", std::move(kinds)}}},
           {"Event",
            {{"description", "the params of the notification \"event\""},
             {"type", "object"},
             {"required", {"subscription", "sequence", "kind", "at", "data"}},
             {"properties",
              {{"subscription", natural},
               {"sequence", natural},
               {"kind", {{"$ref", "#/components/schemas/EventKind"}}},
               {"at", {{"type", "string"}, {"format", "date-time"}}},
               {"data", {{"type", "object"}}}}}}},
           {"ErrorDetail", error_detail_schema()}};
  all.update(Json::parse(kResultSchemas));
  return all;
}

}  // namespace

const std::string& open_rpc_document() {
  static const std::string text = [] {
    Json list = Json::array();
    const Json errors = error_references();
    for (const Method& method : methods()) list.push_back(method_object(method, errors));
    return one_line({{"openrpc", "1.3.2"},
                     {"info",
                      {{"title", "Bulkhead"},
                       {"version", kVersion},
                       {"description", "JSON-RPC 2.0, one message a line, over a Unix stream socket"}}},
                     {"methods", std::move(list)},
                     {"components", {{"schemas", schemas()}, {"errors", error_objects()}}}});
  }();
  return text;
}

}  // namespace bulkhead

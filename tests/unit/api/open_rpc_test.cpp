// SPDX-License-Identifier: Apache-2.0
#include "controller/api/open_rpc.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "controller/api/error_json.h"
#include "controller/api/methods.h"
#include "controller/api/rpc_codes.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

class OpenRpc : public testing::Test {
 protected:
  // What a "$ref" anywhere in the document points at is there.
  void expect_references_resolve(const Json& value) {
    if (value.is_object() && value.contains("$ref")) {
      const auto reference = value["$ref"].get<std::string>();
      ASSERT_EQ(reference.substr(0, 2), "#/");
      EXPECT_EQ(value.size(), 1U) << reference;
      EXPECT_TRUE(document_.contains(Json::json_pointer(reference.substr(1)))) << reference;
    }
    if (!value.is_structured()) return;
    for (const auto& child : value) expect_references_resolve(child);
  }

  // An object with exactly these members, others only as extensions "x-...".
  static void expect_members(const Json& object, const std::set<std::string>& required,
                             const std::set<std::string>& optional = {}) {
    ASSERT_TRUE(object.is_object()) << object;
    for (const std::string& name : required) EXPECT_TRUE(object.contains(name)) << name << " of " << object;
    for (const auto& member : object.items()) {
      EXPECT_TRUE(required.contains(member.key()) || optional.contains(member.key()) ||
                  member.key().starts_with("x-"))
          << member.key() << " of " << object;
    }
  }

  static void expect_schema(const Json& schema) {
    static const std::set<std::string> kKeywords{
        "type",        "properties", "required",    "items",
        "minimum",     "maximum",    "minItems",    "maxItems",
        "$ref",        "enum",       "oneOf",       "const",
        "description", "format",     "uniqueItems", "additionalProperties"};
    static const std::set<std::string> kTypes{"object",  "array",  "string", "integer",
                                              "boolean", "number", "null"};
    ASSERT_TRUE(schema.is_object()) << schema;
    for (const auto& member : schema.items()) EXPECT_TRUE(kKeywords.contains(member.key())) << member.key();
    const Json types = schema.value("type", Json::array());
    for (const Json& type : types.is_array() ? types : Json::array({types})) {
      EXPECT_TRUE(kTypes.contains(type.get<std::string>())) << type;
    }
    for (const char* inner : {"items", "additionalProperties"}) {
      if (schema.contains(inner)) expect_schema(schema[inner]);
    }
    const Json properties = schema.value("properties", Json::object());
    for (const Json& property : properties) expect_schema(property);
    for (const Json& name : schema.value("required", Json::array())) {
      EXPECT_TRUE(properties.contains(name.get<std::string>())) << name;
    }
  }

  const Json document_ = Json::parse(open_rpc_document());
};

TEST_F(OpenRpc, is_one_line_of_an_open_rpc_document) {
  EXPECT_EQ(open_rpc_document().find('\n'), std::string::npos);
  expect_members(document_, {"openrpc", "info", "methods", "components"});
  EXPECT_EQ(document_["openrpc"], "1.3.2");
  expect_members(document_["info"], {"title", "version"}, {"description"});
  expect_members(document_["components"], {"schemas", "errors"});
  expect_references_resolve(document_);
}

TEST_F(OpenRpc, describes_every_method_of_the_table) {
  ASSERT_EQ(document_["methods"].size(), methods().size());
  std::set<std::string> names;
  for (std::size_t index = 0; index < methods().size(); ++index) {
    const Method& row = methods()[index];
    const Json& method = document_["methods"][index];
    expect_members(method, {"name", "summary", "paramStructure", "params", "result", "errors"});
    EXPECT_EQ(method["name"], row.name);
    EXPECT_TRUE(names.insert(std::string(row.name)).second) << row.name;
    EXPECT_EQ(method["paramStructure"], "either");
    EXPECT_EQ(method["x-right"], to_string(row.right));
    expect_members(method["result"], {"name", "schema"}, {"summary"});
    expect_schema(method["result"]["schema"]);
    EXPECT_EQ(method["errors"].size(), 14U);
  }
}

TEST_F(OpenRpc, describes_parameters_required_ones_first) {
  for (std::size_t index = 0; index < methods().size(); ++index) {
    const Method& row = methods()[index];
    const Json& described = document_["methods"][index]["params"];
    ASSERT_EQ(described.size(), row.parameters.size()) << row.name;
    bool optional = false;
    for (std::size_t at = 0; at < described.size(); ++at) {
      expect_members(described[at], {"name", "required", "schema"}, {"summary"});
      expect_schema(described[at]["schema"]);
      EXPECT_EQ(described[at]["name"], row.parameters[at].name);
      EXPECT_EQ(described[at]["required"], row.parameters[at].required);
      EXPECT_FALSE(optional && row.parameters[at].required) << row.name;
      optional = !row.parameters[at].required;
    }
  }
}

TEST_F(OpenRpc, describes_events_and_errors) {
  const Json& schemas = document_["components"]["schemas"];
  for (const Json& schema : schemas) expect_schema(schema);
  ASSERT_EQ(schemas["EventKind"]["oneOf"].size(), event_kinds().size());
  for (std::size_t at = 0; at < event_kinds().size(); ++at) {
    EXPECT_EQ(schemas["EventKind"]["oneOf"][at]["const"], event_kinds()[at].name);
  }
  for (const auto& error : document_["components"]["errors"].items()) {
    expect_members(error.value(), {"code", "message"});
    EXPECT_EQ(error.value()["message"], error.key());
  }
  EXPECT_EQ(document_["components"]["errors"]["conflict"]["code"], rpc_code(ErrorCode::conflict));
  EXPECT_EQ(document_["components"]["errors"]["method_not_found"]["code"], -32601);
  std::set<std::string> told, described;
  const Json whole = error_json({});
  for (const auto& member : whole.items()) told.insert(member.key());
  for (const auto& member : schemas["ErrorDetail"]["properties"].items()) described.insert(member.key());
  EXPECT_EQ(told, described);
}

TEST(EventKinds, have_one_name_each) {
  for (const EventKindRow& row : event_kinds()) {
    EXPECT_EQ(to_string(row.kind), row.name);
    EXPECT_EQ(parse_event_kind(row.name), row.kind);
  }
  EXPECT_EQ(parse_event_kind("drift"), std::nullopt);
}

}  // namespace
}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/json_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace bulkhead {
namespace {

TEST(JsonText, is_one_indented_document) {
  EXPECT_EQ(json_text({{"a", 1}, {"b", {1, 2}}}), "{\n  \"a\": 1,\n  \"b\": [\n    1,\n    2\n  ]\n}\n");
}

TEST(JsonText, spells_out_what_would_steer_a_terminal_and_means_the_same) {
  const nlohmann::ordered_json document{{"name", "Z\u00fcrich \u202e\x7f\x1b \U000e0041\n"}};
  const std::string text = json_text(document);
  EXPECT_EQ(text, "{\n  \"name\": \"Z\u00fcrich \\u202e\\u007f\\u001b \\udb40\\udc41\\n\"\n}\n");
  EXPECT_EQ(nlohmann::ordered_json::parse(text), document);
}

TEST(JsonText, replaces_bytes_that_are_no_text) {
  EXPECT_EQ(json_text({{"path", "a\xff"}}), "{\n  \"path\": \"a\ufffd\"\n}\n");
}

}  // namespace
}  // namespace bulkhead

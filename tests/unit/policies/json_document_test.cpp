// SPDX-License-Identifier: Apache-2.0
#include "policies/json_document.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>

namespace bulkhead {
namespace {

std::string said_of(std::string_view text) {
  DiagnosticList problems;
  const JsonDocument document = parse_json(text, problems);
  std::string said = render("f", problems.take());
  EXPECT_TRUE(document.root() != nullptr || !said.empty()) << text;
  return said;
}

JsonDocument parse(std::string_view text) {
  DiagnosticList problems;
  JsonDocument document = parse_json(text, problems);
  EXPECT_EQ(render("f", problems.take()), "");
  return document;
}

std::string place(const Place& place) {
  return std::to_string(place.line) + ':' + std::to_string(place.column) + ' ' + place.pointer;
}

TEST(JsonDocument, knows_where_every_key_and_value_stands) {
  const JsonDocument document = parse(
      "// first\n"
      "{ \"a\": [1, /* two */ -2.5e3, \"x\\ny\"],\n"
      "\t\"caf\xc3\xa9/~\" : {\"b\":true}, \"n\":null }\r\n"
      "// last");
  const JsonValue& root = *document.root();
  EXPECT_EQ(root.type, JsonType::object);
  EXPECT_EQ(place(root.place()), "2:1 ");
  ASSERT_EQ(root.children.size(), 3U);

  const JsonValue& list = *root.children[0];
  EXPECT_EQ(place(list.key_place()), "2:3 /a");
  EXPECT_EQ(place(list.place()), "2:8 /a");
  ASSERT_EQ(list.children.size(), 3U);
  EXPECT_EQ(list.children[0]->text, "1");
  EXPECT_EQ(list.children[1]->text, "-2.5e3");
  EXPECT_EQ(place(list.children[1]->place()), "2:22 /a/1");
  EXPECT_EQ(list.children[2]->text, "x\ny");
  EXPECT_EQ(place(list.children[2]->place()), "2:30 /a/2");

  const JsonValue& odd = *root.children[1];
  EXPECT_EQ(place(odd.key_place()), "3:2 /caf\xc3\xa9~1~0");
  EXPECT_EQ(place(odd.place()), "3:14 /caf\xc3\xa9~1~0");
  EXPECT_EQ(odd.find("b")->text, "true");
  EXPECT_EQ(place(odd.find("b")->place()), "3:19 /caf\xc3\xa9~1~0/b");
  EXPECT_EQ(odd.find("c"), nullptr);
  EXPECT_EQ(root.find("n")->type, JsonType::null);
}

TEST(JsonDocument, keeps_the_first_of_repeated_keys) {
  DiagnosticList problems;
  const JsonDocument document = parse_json("{\"a\": 1,\n \"a\": {\"b\": 2},\n \"\\u0061\": 3}", problems);
  EXPECT_EQ(render("f", problems.take()),
            "f:2:2: the key \"a\" is here a second time: it was given at 1:2 already\n"
            "f:3:2: the key \"a\" is here a second time: it was given at 1:2 already\n");
  ASSERT_EQ(document.root()->children.size(), 1U);
  EXPECT_EQ(document.root()->children[0]->text, "1");
}

TEST(JsonDocument, takes_a_single_value) {
  EXPECT_EQ(parse(" 12 ").root()->text, "12");
  EXPECT_EQ(parse("false").root()->text, "false");
}

struct Mistake {
  std::string text, said;
};

class JsonMistake : public testing::TestWithParam<Mistake> {};

TEST_P(JsonMistake, is_explained) {
  EXPECT_EQ(said_of(GetParam().text), GetParam().said);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, JsonMistake,
    testing::Values(
        Mistake{
            "",
            "f:1:1: the file holds nothing: the smallest policy is {\"bulkhead\": 1, \"name\": ..., \"services\": "
            "{...}}\n"},
        Mistake{"{\"a\" 1}", "f:1:6: found '1', expected ':' after the key\n"},
        Mistake{"{\"a\": }", "f:1:7: found '}', expected a value\n"},
        Mistake{"{\"a\": 1 \"b\": 2}", "f:1:9: found \"b\", expected ',' or '}'\n"},
        Mistake{"{\"a\": 1\"b\": 2}", "f:1:8: found \"b\", expected ',' or '}'\n"},
        Mistake{"[1 2]", "f:1:4: found '2', expected ',' or ']'\n"},
        Mistake{"[1}", "f:1:3: found '}', expected ',' or ']'\n"},
        Mistake{"[,]", "f:1:2: found ',', expected a value or ']'\n"},
        Mistake{"{,}", "f:1:2: found ',', expected a key in double quotes or '}'\n"},
        Mistake{"{1: 2}", "f:1:2: found '1', expected a key in double quotes or '}'\n"},
        Mistake{"{\"a\": 1, 2}", "f:1:10: found '2', expected a key in double quotes\n"},
        Mistake{"[1,]", "f:1:3: nothing follows this comma: leave it out\n"},
        Mistake{"{name: 1}", "f:1:2: name has no quotes: write \"name\"\n"},
        Mistake{"{'name': 1}", "f:1:2: a single quote does not begin a text: write double quotes, \"...\"\n"},
        Mistake{"}", "f:1:1: found '}', expected '{'\n"},
        Mistake{"[proxy.service]", "f:1:2: proxy.service has no quotes: write \"proxy.service\"\n"},
        Mistake{"[75%]", "f:1:2: 75% has no quotes: write \"75%\"\n"},
        Mistake{"[0xfff]", "f:1:2: 0xfff has no quotes: write \"0xfff\"\n"},
        Mistake{"[truely]", "f:1:2: truely has no quotes: write \"truely\"\n"},
        Mistake{"[FALSE]", "f:1:2: FALSE is not a word of JSON: write false\n"},
        Mistake{"[012]",
                "f:1:2: 012 is not a number: write digits, without leading zeros, '+' or a bare '.'\n"},
        Mistake{"[+1]",
                "f:1:2: +1 is not a number: write digits, without leading zeros, '+' or a bare '.'\n"},
        Mistake{"[-]", "f:1:2: - is not a number: write digits, without leading zeros, '+' or a bare '.'\n"},
        Mistake{"[1.]",
                "f:1:2: 1. is not a number: write digits, without leading zeros, '+' or a bare '.'\n"},
        Mistake{"[1-2]",
                "f:1:2: 1-2 is not a number: write digits, without leading zeros, '+' or a bare '.'\n"},
        Mistake{"[-1e400]", "f:1:2: the number -1e400 is too large for any use here\n"},
        Mistake{"[\"a\nb\"]", "f:1:2: this text has no end: close it with \" on the same line\n"},
        Mistake{"[\"a", "f:1:2: this text has no end: close it with \" on the same line\n"},
        Mistake{"[\"a\\", "f:1:2: this text has no end: close it with \" on the same line\n"},
        Mistake{"[\"a\x1b\"]", "f:1:4: the control character \\u001b stands in a text: write \\u001b\n"},
        Mistake{"[\"\\u12\"]",
                "f:1:3: \\u12 is no escape: write \\\\ for a backslash; the others are \\\" \\/ \\b \\f \\n "
                "\\r \\t \\uXXXX\n"},
        Mistake{"[\"\\udc00\"]",
                "f:1:3: \\udc00 is half of a surrogate pair: write the character itself, files are "
                "UTF-8\n"},
        Mistake{"[\"\\u0000\"]", "f:1:2: /0: a NUL byte: a document is text\n"},
        Mistake{"{\"\\u0000\": 1}", "f:1:2: a NUL byte: a document is text\n"},
        Mistake{"[1] 2", "f:1:5: found '2' behind the end of the document: a file holds one document\n"},
        Mistake{"[1] /* 2", "f:1:5: this comment is never closed: end it with */\n"},
        Mistake{"[1, # one\n2]", "f:1:5: '#' does not begin a comment here: write //\n"},
        Mistake{"[1 / 2]", "f:1:4: found '/', expected ',' or ']'\n"},
        Mistake{"{\"a\":\n [1,\n",
                "f:3:1: /a: the file ends inside the array that begins at 2:2: a ']' is missing\n"},
        Mistake{"{\"a\"", "f:1:5: the file ends inside the object that begins at 1:1: a '}' is missing\n"},
        Mistake{"\xef\xbb\xbf{}",
                "f:1:1: a byte order mark stands before the text: save the file as UTF-8 without it\n"},
        Mistake{"{}\n// \xff", "f:2:4: the byte 0xFF is not valid UTF-8 here: save the file as UTF-8\n"},
        Mistake{"\"\xc0\x80\"", "f:1:2: the byte 0xC0 is not valid UTF-8 here: save the file as UTF-8\n"},
        Mistake{"\"\xed\xa0\x80\"", "f:1:2: the byte 0xED is not valid UTF-8 here: save the file as UTF-8\n"},
        Mistake{"\"\xf4\x90\x80\x80\"",
                "f:1:2: the byte 0xF4 is not valid UTF-8 here: save the file as UTF-8\n"},
        Mistake{"\"\xe2\x82", "f:1:2: the byte 0xE2 is not valid UTF-8 here: save the file as UTF-8\n"},
        Mistake{std::string("{}\0", 3), "f:1:3: a NUL byte: a document is text\n"}));

TEST(JsonDocument, takes_every_form_of_utf8) {
  EXPECT_EQ(parse("\"\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"")
                .root()
                ->text,
            "\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}

TEST(JsonDocument, nests_as_deep_as_allowed_and_no_deeper) {
  const std::string open(kDeepestJson, '[');
  const std::string close(kDeepestJson, ']');
  EXPECT_EQ(said_of(open + close), "");
  EXPECT_EQ(said_of(open + "[" + close),
            "f:1:33: /0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0: more "
            "than 32 objects and arrays inside one another\n");
}

TEST(JsonDocument, ends_a_million_brackets_at_the_first_too_many) {
  DiagnosticList problems;
  const JsonDocument document = parse_json(std::string(1'000'000, '['), problems);
  EXPECT_EQ(document.root(), nullptr);
  EXPECT_EQ(problems.take().size(), 1U);
}

TEST(JsonDocument, holds_so_many_values_and_no_more) {
  std::string text = "[";
  for (std::size_t value = 1; value < kMostJsonValues; ++value) text += value == 1 ? "1" : ",1";
  DiagnosticList problems;
  EXPECT_EQ(parse_json(text + "]", problems).values.size(), kMostJsonValues);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(said_of(text + ",1]"), "f:1:131072: more than 65536 values: no host has use for such a document\n");
}

TEST(JsonDocument, shows_the_first_hundred_of_many_repeated_keys) {
  std::string text = "{\"a\": 0";
  for (int repeated = 0; repeated < 60'000; ++repeated) text += ",\n\"a\": 0";
  DiagnosticList problems;
  const JsonDocument document = parse_json(text + "}", problems);
  EXPECT_EQ(document.root()->children.size(), 1U);
  const auto said = problems.take();
  ASSERT_EQ(said.size(), kMostDiagnostics + 1);
  EXPECT_EQ(said.front().place.line, 2U);
  EXPECT_EQ(said[kMostDiagnostics - 1].place.line, 101U);
  EXPECT_EQ(said.back().message, "and 59900 more, not shown");
}

TEST(JsonDocument, bounds_keys_and_so_pointers) {
  const std::string longest(kLongestJsonKey, 'k');
  EXPECT_EQ(said_of("{\"" + longest + "\": 1}"), "");
  EXPECT_EQ(said_of("{\"a\": {\"" + longest + "k\": 1}}"),
            "f:1:8: /a: the key \"" + std::string(57, 'k') + "...\" has 257 bytes: a key has at most 256\n");
}

}  // namespace
}  // namespace bulkhead

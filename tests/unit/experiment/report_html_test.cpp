// SPDX-License-Identifier: Apache-2.0
// What the page shows once it has drawn itself is tests/report/page_test.py.
#include "controller/experiment/report_html.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "controller/experiment/result_json.h"
#include "tests/report/synthetic_result.h"

namespace bulkhead {
namespace {

std::size_t count(std::string_view text, std::string_view wanted) {
  std::size_t found = 0;
  for (auto at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + 1)) ++found;
  return found;
}

std::string_view carried(std::string_view html) {
  constexpr std::string_view kBegin = "id=\"result\">";
  html.remove_prefix(html.find(kBegin) + kBegin.size());
  return html.substr(0, html.find("</script>"));
}

TEST(ReportHtml, carries_the_whole_result) {
  for (const ExperimentResult& result : {plain_result(), gen13_result(), hostile_result(), open_result()}) {
    const std::string html = report_html(result);
    EXPECT_EQ(nlohmann::ordered_json::parse(carried(html)),
              nlohmann::ordered_json::parse(result_text(result)));
  }
}

TEST(ReportHtml, lets_nothing_break_out) {
  const std::string plain = report_html(plain_result()), hostile = report_html(hostile_result());
  for (const std::string_view mark : {"<script", "</script", "<img", "<!--", "<b>"}) {
    EXPECT_EQ(count(hostile, mark), count(plain, mark)) << mark;
  }
  EXPECT_EQ(count(carried(hostile), "<"), 0U);
  EXPECT_NE(hostile.find("<title>&lt;b>\"{{script}}\" &amp; 'hostile'&lt;/b> - Bulkhead experiment</title>"),
            std::string::npos);
}

TEST(ReportHtml, has_the_library_with_its_licence) {
  const std::string html = report_html(plain_result());
  EXPECT_NE(html.find("d3js.org/d3-scale/"), std::string::npos);
  EXPECT_NE(html.find("License: BSD-3-Clause"), std::string::npos);
  EXPECT_EQ(html.find("{{"), std::string::npos);
}

}  // namespace
}  // namespace bulkhead

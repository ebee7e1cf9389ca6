// SPDX-License-Identifier: Apache-2.0
#include "policies/page_address.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

HttpAddress http(std::string_view text) {
  const auto page = parse_page(text);
  EXPECT_TRUE(std::holds_alternative<HttpAddress>(page)) << text;
  return std::get<HttpAddress>(page);
}

std::string_view mistake(std::string_view text) {
  const auto page = parse_page(text);
  EXPECT_TRUE(std::holds_alternative<PageMistake>(page)) << text;
  return describe(std::get<PageMistake>(page));
}

TEST(PageAddress, reads_a_host_with_port_and_target) {
  EXPECT_EQ(http("http://127.0.0.1:9100/metrics"), (HttpAddress{"127.0.0.1", 9100, "/metrics"}));
  EXPECT_EQ(http("http://a-b.example"), (HttpAddress{"a-b.example", 80, "/"}));
  EXPECT_EQ(http("http://[::1]:1/m?x=[1]"), (HttpAddress{"::1", 1, "/m?x=[1]"}));
  EXPECT_EQ(http("http://h?x"), (HttpAddress{"h", 80, "/?x"}));
}

TEST(PageAddress, takes_all_else_for_the_path_of_a_file) {
  EXPECT_EQ(std::get<FileAddress>(parse_page("/run/a b.prom")).path, "/run/a b.prom");
  EXPECT_EQ(std::get<FileAddress>(parse_page("http:/x")).path, "http:/x");
}

TEST(PageAddress, says_what_it_cannot_read) {
  EXPECT_EQ(mistake("https://h/"), "https is not read, only plain http");
  EXPECT_EQ(mistake("ftp://h/"), "only plain http is read");
  EXPECT_EQ(mistake("HTTP://h/"), "only plain http is read");
  EXPECT_EQ(mistake("http://u:p@h/"), "it has the name of a user");
  EXPECT_EQ(mistake("http:///x"), "it has no host that could be asked");
  EXPECT_EQ(mistake("http://[::1/"), "it has no host that could be asked");
  EXPECT_EQ(mistake("http://[]/"), "it has no host that could be asked");
  EXPECT_EQ(mistake("http://a,b/"), "it has no host that could be asked");
  EXPECT_EQ(mistake("http://h:0/"), "its port is no number from 1 to 65535");
  EXPECT_EQ(mistake("http://h:65536/"), "its port is no number from 1 to 65535");
  EXPECT_EQ(mistake("http://h:/"), "its port is no number from 1 to 65535");
  EXPECT_EQ(mistake("http://h/#a"), "'#' and what follows is never sent to a server");
}

TEST(PageAddress, never_holds_what_would_end_the_line_of_a_request) {
  EXPECT_EQ(mistake("http://h/a\r\nHost: x"), "it has a blank or a control character");
  EXPECT_EQ(mistake("http://h/a b"), "it has a blank or a control character");
  EXPECT_EQ(mistake("http://h\t/"), "it has a blank or a control character");
}

}  // namespace
}  // namespace bulkhead

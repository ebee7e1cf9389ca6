// SPDX-License-Identifier: Apache-2.0
// Where a page of metrics lies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace bulkhead {

struct HttpAddress {
  std::string host;  // a name, an IPv4 address, or an IPv6 address without its brackets
  std::uint16_t port = 80;
  std::string target;  // "/metrics?x=1"; "/" if there is none

  bool operator==(const HttpAddress&) const = default;
};

struct FileAddress {
  std::string path;

  bool operator==(const FileAddress&) const = default;
};

enum class PageMistake { https, scheme, user, host, port, control, fragment };

// What has "://" is an address, of which only plain http is read; all else is a file's path.
std::variant<HttpAddress, FileAddress, PageMistake> parse_page(std::string_view text);

// As in "... is not a page: WHAT IS WRONG".
std::string_view describe(PageMistake mistake);

}  // namespace bulkhead

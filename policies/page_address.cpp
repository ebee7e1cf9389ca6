// SPDX-License-Identifier: Apache-2.0
#include "policies/page_address.h"

#include <algorithm>
#include <array>

#include "controller/base/text.h"

namespace bulkhead {
namespace {

using Parsed = std::variant<HttpAddress, FileAddress, PageMistake>;

constexpr std::string_view kHostLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._";
constexpr std::string_view kIpv6Letters = "0123456789abcdefABCDEF:.";

// What would end the request's line, or is none of its letters.
bool is_blank_or_control(char letter) {
  return static_cast<unsigned char>(letter) <= ' ' || letter == '\x7f';
}

// The host, removed from the beginning of `place`; empty if there is none.
std::string_view take_host(std::string_view& place) {
  const bool brackets = place.starts_with('[');
  if (brackets) place.remove_prefix(1);
  const auto end = std::min(place.size(), place.find_first_not_of(brackets ? kIpv6Letters : kHostLetters));
  const std::string_view host = place.substr(0, end);
  place.remove_prefix(end);
  if (!brackets) return host;
  if (!place.starts_with(']')) return {};
  place.remove_prefix(1);
  return host;
}

Parsed parse_http(std::string_view rest) {
  if (std::ranges::any_of(rest, is_blank_or_control)) return PageMistake::control;
  if (rest.find('#') != std::string_view::npos) return PageMistake::fragment;
  const auto end = std::min(rest.size(), rest.find_first_of("/?"));
  std::string_view place = rest.substr(0, end);
  std::string target(rest.substr(end));
  if (!target.starts_with('/')) target.insert(0, "/");
  if (place.find('@') != std::string_view::npos) return PageMistake::user;
  HttpAddress address{.host = std::string(take_host(place)), .port = 80, .target = std::move(target)};
  if (address.host.empty()) return PageMistake::host;
  if (place.empty()) return address;
  if (!place.starts_with(':')) return PageMistake::host;
  const auto port = parse_integer<std::uint16_t>(place.substr(1));
  if (!port || *port == 0) return PageMistake::port;
  address.port = *port;
  return address;
}

}  // namespace

Parsed parse_page(std::string_view text) {
  const auto mark = text.find("://");
  if (mark == std::string_view::npos) return FileAddress{std::string(text)};
  const std::string_view scheme = text.substr(0, mark);
  if (scheme == "https") return PageMistake::https;
  if (scheme != "http") return PageMistake::scheme;
  return parse_http(text.substr(mark + 3));
}

std::string_view describe(PageMistake mistake) {
  constexpr std::array<std::string_view, 7> kTexts{
      "https is not read, only plain http",
      "only plain http is read",
      "it has the name of a user",
      "it has no host that could be asked",
      "its port is no number from 1 to 65535",
      "it has a blank or a control character",
      "'#' and what follows is never sent to a server",
  };
  return kTexts.at(static_cast<std::size_t>(mistake));
}

}  // namespace bulkhead

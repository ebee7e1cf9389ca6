// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/terminal.h"

#include <algorithm>
#include <cstdlib>
#include <sys/ioctl.h>

#include "controller/base/text.h"

namespace bulkhead {
namespace {

constexpr std::size_t kNarrowest = 20;
constexpr std::size_t kUsual = 100;
constexpr std::size_t kWidest = 160;

}  // namespace

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::size_t columns_of(int stream) {
  std::size_t columns = parse_integer<std::size_t>(environment("COLUMNS")).value_or(0);
  winsize size{};
  if (columns == 0 && ::ioctl(stream, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  return columns == 0 ? kUsual : std::clamp(columns, kNarrowest, kWidest);
}

std::size_t rows_of(int stream) {
  constexpr std::size_t kUsualRows = 24;
  winsize size{};
  if (::ioctl(stream, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return kUsualRows;
  return size.ws_row;
}

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include "controller/kernel/mounts.h"

#include <algorithm>

#include "controller/base/text.h"
#include "controller/kernel/paths.h"

namespace bulkhead {
namespace {

// Blanks, tabs, newlines and backslashes are written as "\" and three octal digits.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto code =
        text[at] == '\\' ? parse_integer<unsigned char>(text.substr(at + 1, 3), 8) : std::nullopt;
    if (code && at + 3 < text.size()) {
      plain += static_cast<char>(*code);
      at += 3;
    } else {
      plain += text[at];
    }
  }
  return plain;
}

bool lists(std::string_view options, std::string_view option) {
  const auto parts = split(options, ',');
  return std::find(parts.begin(), parts.end(), option) != parts.end();
}

// 36 35 98:0 /root /point options optional... - type source own-options
std::vector<Mount> parse_line(std::string_view line) {
  constexpr std::size_t kRoot = 3;
  constexpr std::size_t kPoint = 4;
  constexpr std::size_t kOptions = 5;
  const auto fields = split(line, ' ');
  const auto dash = std::find(fields.begin() + std::min<std::ptrdiff_t>(kOptions + 1, std::ssize(fields)),
                              fields.end(), "-");
  if (fields.end() - dash < 4) return {};
  Mount mount{.point = unescaped(fields[kPoint]),
              .type = std::string(dash[1]),
              .root = unescaped(fields[kRoot]),
              .options = std::string(dash[3])};
  mount.read_only = lists(fields[kOptions], "ro") || mount.has_option("ro");
  return {mount};
}

}  // namespace

bool Mount::has_option(std::string_view option) const {
  return lists(options, option);
}

std::vector<Mount> parse_mountinfo(std::string_view text) {
  std::vector<Mount> mounts;
  for (const std::string_view line : split(text, '\n')) {
    for (Mount& mount : parse_line(line)) {
      std::erase_if(mounts, [&](const Mount& earlier) { return earlier.point == mount.point; });
      mounts.push_back(std::move(mount));
    }
  }
  return mounts;
}

std::vector<Mount> read_mounts(FileSystem& files) {
  return parse_mountinfo(files.open_directory(std::string(paths::kProc))->read("self/mountinfo"));
}

}  // namespace bulkhead

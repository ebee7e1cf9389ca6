// SPDX-License-Identifier: Apache-2.0
// Machine files by name: those of the source tree the program was built from, and those that are installed.
#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/topology/machine_file.h"
#include "controller/topology/text_file.h"

namespace bulkhead {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 2> kFolders{BULKHEAD_SOURCE_MACHINES, BULKHEAD_INSTALLED_MACHINES};
constexpr std::string_view kSuffix = ".json";

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const char* folder : kFolders) {
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
      if (entry.path().extension() == kSuffix) names.push_back(entry.path().stem().string());
    }
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// Some of the names, and where all of them are.
std::string names_text(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  if (names.empty()) return "none is shipped with this program";
  std::error_code none;
  const char* folder = fs::is_directory(kFolders.front(), none) ? kFolders.front() : kFolders.back();
  const std::vector<std::string> shown(names.begin(),
                                       names.begin() + static_cast<long>(std::min(kShown, names.size())));
  return "there are " + join(shown, ", ") + " and others in " + folder;
}

Error unknown_machine(const std::string& name) {
  const std::vector<std::string> names = known_names();
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string_view meant = closest(name, candidates);
  return Error(ErrorCode::usage, "there is no machine \"" + name + "\"" +
                                     (meant.empty() ? "; " + names_text(names)
                                                    : "; did you mean \"" + std::string(meant) + "\"?"));
}

std::string path_of(const std::string& file_or_name) {
  const bool is_path = file_or_name.find('/') != std::string::npos || file_or_name.ends_with(kSuffix);
  if (is_path || is_file(file_or_name)) return file_or_name;
  for (const char* folder : kFolders) {
    const fs::path path = fs::path(folder) / (file_or_name + std::string(kSuffix));
    if (is_file(path)) return path.string();
  }
  throw unknown_machine(file_or_name);
}

}  // namespace

Host load_machine(const std::string& file_or_name) {
  const std::string path = path_of(file_or_name);
  return read_machine_file(read_text_file(path), path);
}

}  // namespace bulkhead

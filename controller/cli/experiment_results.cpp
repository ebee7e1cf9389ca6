// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/experiment_results.h"

#include <cerrno>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/engine/store.h"
#include "controller/experiment/report_html.h"
#include "controller/experiment/result_json.h"

namespace bulkhead {
namespace {

std::string path_of(const std::string& directory, const std::string& file) {
  return (std::filesystem::path(directory) / file).string();
}

class Folder {
 public:
  explicit Folder(std::string directory) : directory_(std::move(directory)) {}

  // Whole or not at all, and for everybody to read: they are what somebody wanted to know. Gives the path;
  // empty where it could not be written.
  std::string write(const std::string& name, const std::string& text) {
    constexpr mode_t kForEverybody = 0644;
    std::string path = path_of(directory_, name);
    try {
      Store(directory_).replace(name, text);
      if (::chmod(path.c_str(), kForEverybody) != 0)
        throw Error::from_errno(errno, "cannot be made readable for everybody", path);
      return path;
    } catch (const Error& error) {
      if (why_.empty()) why_ = error.what();
      missing_.push_back(name);
      return {};
    }
  }

  std::string trouble() const {
    return missing_.empty() ? "" : join(missing_, " and ") + " could not be written: " + why_;
  }

 private:
  std::string directory_;
  std::vector<std::string> missing_;
  std::string why_;  // the first of them
};

}  // namespace

// With "/." behind it what is no directory is told as that, rather than as one without rights.
void require_results_folder(const std::string& directory) {
  if (::access((directory + "/.").c_str(), W_OK | X_OK) != 0)
    throw Error::from_errno(errno, "the result could not be written", directory);
}

WrittenResults write_results(const ExperimentResult& result, const std::string& directory) {
  Folder folder(directory);
  WrittenResults written;
  if (result.search && !result.search->found.empty())
    written.policy = folder.write(result.name + ".policy.json", result.search->found_policy);
  folder.write(result.name + ".result.json", result_text(result) + '\n');
  written.page = folder.write(result.name + ".report.html", report_html(result));
  written.trouble = folder.trouble();
  return written;
}

}  // namespace bulkhead

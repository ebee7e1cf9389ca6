// SPDX-License-Identifier: Apache-2.0
// conformance-run: runs cases on the kernel of this machine, or of the modelled ones.
#include <exception>
#include <iostream>
#include <string>
#include <sys/utsname.h>
#include <unistd.h>
#include <vector>

#include "controller/base/error.h"
#include "tests/conformance/model_host.h"
#include "tests/conformance/runner.h"
#include "tests/conformance/suite.h"
#include "tests/conformance/system_host.h"

namespace bulkhead::conformance {
namespace {

constexpr const char* kUsage =
    "usage: conformance-run --model PATH...\n"
    "       conformance-run --host NAME [--kernel VERSION] PATH...\n"
    "Runs the cases in PATHs, which are files or folders: on the kernel model, or those for host NAME on "
    "this\n"
    "machine as root, whose resctrl must be nobody's; --kernel where uname(2) does not say the truth.\n"
    "Prints a line for each case that failed and one for all. Exits with 1 if any failed, 2 for wrong "
    "usage.\n";

struct Options {
  bool model = false;
  std::string host;
  std::string kernel;
  std::vector<std::string> paths;
  bool complete() const { return !paths.empty() && model == host.empty(); }
};

Options parse(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const bool has_value = at + 1 < words.size();
    if (words[at] == "--model") {
      options.model = true;
    } else if (words[at] == "--host" && has_value) {
      options.host = words[++at];
    } else if (words[at] == "--kernel" && has_value) {
      options.kernel = words[++at];
    } else {
      options.paths.push_back(words[at]);
    }
  }
  return options;
}

KernelVersion running_kernel() {
  utsname names{};
  uname(&names);
  return parse_version(names.release);
}

int run(const Options& options) {
  const std::vector<CaseFile> files = read_cases(options.paths);
  for (const CaseFile& file : files) check_operations(file);
  Tally tally;
  if (options.model) {
    tally = run_on_model(files, std::cout);
  } else {
    if (geteuid() != 0) throw Error(ErrorCode::permission, "run it as root, in a guest: it changes the host");
    SystemHost host;
    const KernelVersion version = options.kernel.empty() ? running_kernel() : parse_version(options.kernel);
    tally = run_on(host, options.host, version, files, std::cout);
    host.clean();
  }
  std::cout << summary(tally) << '\n';
  return tally.failed == 0 && tally.passed > 0 ? 0 : 1;
}

}  // namespace
}  // namespace bulkhead::conformance

int main(int count, char** arguments) {
  using namespace bulkhead::conformance;
  const Options options = parse({arguments + 1, arguments + count});
  if (!options.complete()) {
    std::cerr << kUsage;
    return 2;
  }
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::cerr << "conformance-run: " << error.what() << '\n';
    return 2;
  }
}

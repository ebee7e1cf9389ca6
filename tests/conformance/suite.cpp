// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/suite.h"

#include <algorithm>
#include <ostream>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "tests/conformance/model_host.h"
#include "tests/conformance/runner.h"

namespace bulkhead::conformance {

Tally& Tally::operator+=(const Tally& other) {
  passed += other.passed;
  failed += other.failed;
  skipped += other.skipped;
  return *this;
}

Tally run_on(Host& host, const std::string& name, const KernelVersion& kernel,
             const std::vector<CaseFile>& files, std::ostream& out) {
  Tally tally;
  Runner runner(host);
  for (const CaseFile& file : files) {
    if (std::ranges::count(file.hosts, name) == 0) continue;
    for (const Case& each : file.cases) {
      if (!each.kernels.contains(kernel)) continue;
      const Report report = runner.run(file, each);
      tally.passed += report.verdict == Verdict::passed;
      tally.failed += report.verdict == Verdict::failed;
      tally.skipped += report.verdict == Verdict::skipped;
      if (report.verdict == Verdict::failed) {
        out << name << " Linux " << kernel.major << '.' << kernel.minor << ' ' << report.text << '\n';
      }
    }
  }
  return tally;
}

Tally run_on_model(const std::vector<CaseFile>& files, std::ostream& out) {
  Tally tally;
  std::vector<std::string> names;
  for (const CaseFile& file : files) names.insert(names.end(), file.hosts.begin(), file.hosts.end());
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string& name : names) {
    for (const ModelledKernel& kernel : kModelledKernels) {
      ModelHost host(shape_of(name, kernel.generation));
      tally += run_on(host, name, kernel.version, files, out);
    }
  }
  return tally;
}

std::string summary(const Tally& tally) {
  return counted(tally.passed + tally.failed, "case") + ", " + std::to_string(tally.failed) + " failed, " +
         std::to_string(tally.skipped) + " skipped: the host lacks what they need";
}

}  // namespace bulkhead::conformance

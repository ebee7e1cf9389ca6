// SPDX-License-Identifier: Apache-2.0
// "move_cost RUNS" on a fake host: 100 processes into a cgroup, beside as many pwrites on a file that is
// open.
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

#include "cgroup/cgroup_actuator.h"
#include "controller/base/error.h"
#include "controller/base/unique_fd.h"
#include "tests/bench/stopwatch.h"

namespace bulkhead {
namespace {

constexpr unsigned kProcesses = 100;
constexpr unsigned kFirst = 100'000;

void measure(unsigned runs) {
  const auto files = make_linux_file_system();
  CgroupActuator cgroups(*files, nullptr);
  Step step{.kind = StepKind::move_processes, .target = "/bench"};
  std::vector<std::string> texts;
  for (unsigned process = kFirst; process < kFirst + kProcesses; ++process) {
    step.tasks[process] = "/";
    texts.push_back(std::to_string(process) + '\n');
  }
  const UniqueFd file(
      ::open((cgroups.hierarchy().mount_point + "/bench/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  std::vector<double> floor, ours;
  for (unsigned run = 0; run < runs; ++run) {
    floor.push_back(bench::timed([&] {
      for (const std::string& text : texts) {
        if (::pwrite(file.get(), text.data(), text.size(), 0) != std::ssize(text)) std::abort();
      }
    }));
    ours.push_back(bench::timed([&] { cgroups.apply(step); }));
  }
  bench::say("floor", bench::median(floor));
  bench::say("ours", bench::median(ours));
}

}  // namespace
}  // namespace bulkhead

int main(int count, char** words) {
  try {
    bulkhead::measure(bulkhead::bench::runs_from(count > 1 ? words[1] : "1"));
    return 0;
  } catch (const bulkhead::Error& error) {
    std::fprintf(stderr, "move_cost: %s\n", error.what());
    return 1;
  }
}

// SPDX-License-Identifier: Apache-2.0
// "write_counts POLICY MACHINE THREADS": how many kernel writes things take, counted on the modelled kernel,
// which checks what is written. Nothing is timed.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "controller/base/error.h"
#include "controller/engine/engine.h"
#include "controller/kernel/paths.h"
#include "controller/resctrl/schemata.h"
#include "controller/topology/machine_file.h"
#include "controller/topology/text_file.h"
#include "simulator/kernel_model/scripted_kernel.h"
#include "tests/bench/stopwatch.h"
#include "tests/support/model_file_system.h"

namespace bulkhead {
namespace {

// Two EPYC 9965: 768 CPUs in 24 CCDs.
sim::KernelShape two_sockets(sim::Generation generation) {
  sim::KernelShape shape = sim::epyc_9965();
  shape.cpus = sim::lay_out({.sockets = 2, .ccds = 12, .cores = 16, .nodes = 2, .first_threads_first = true});
  return with(shape, generation);
}

std::string group_file(const std::string& group, const std::string& file) {
  return std::string(paths::kResctrl) + '/' + group + '/' + file;
}

class Bench {
 public:
  Bench(sim::Generation generation, const Machine& machine)
      : kernel_(two_sockets(generation)), files_(kernel_), machine_(machine) {
    std::string pattern = std::filesystem::temp_directory_path() / "bulkhead-bench-XXXXXX";
    directory_ = ::mkdtemp(pattern.data());
  }
  ~Bench() { std::filesystem::remove_all(directory_); }

  // Every apply is a start of the program.
  void apply(const std::string& policy) {
    kernel_.clear_log();
    Store store(directory_ + "/run");
    Engine(files_, nullptr, store, machine_).apply({policy, "policy"});
  }

  double writes(const std::string& ending) const {
    return static_cast<double>(
        std::count_if(kernel_.log().begin(), kernel_.log().end(), [&](const auto& done) {
          return done.operation == sim::Operation::write && done.path.ends_with(ending);
        }));
  }

  double made() const {
    return static_cast<double>(
        std::count_if(kernel_.log().begin(), kernel_.log().end(),
                      [](const auto& done) { return done.operation == sim::Operation::make_directory; }));
  }

  // Of all schemata that were written.
  double domains() const {
    std::size_t named = 0;
    for (const sim::LoggedOperation& done : kernel_.log()) {
      if (!done.path.ends_with("/schemata")) continue;
      for (const auto& [resource, values] : parse_schemata(done.text)) named += values.size();
    }
    return static_cast<double>(named);
  }

  std::size_t changes() const { return kernel_.log().size(); }
  sim::KernelModel& host() { return kernel_.outside(); }

 private:
  sim::ScriptedKernel kernel_;
  testing::ModelFileSystem files_;
  const Machine& machine_;
  std::string directory_;
};

void count_applies(const std::string& policy, const Machine& machine) {
  Bench bench(sim::Generation::linux_6_12, machine);
  bench.apply(policy);
  bench::say("groups_made", bench.made());
  bench::say("schemata_writes", bench.writes("/schemata"));
  bench::say("cpus_writes", bench.writes("/cpus_list"));
  bench::say("all_writes", bench.writes(""));
  bench.apply(policy);
  bench::say("second_apply", static_cast<double>(bench.changes()));
  // Somebody changes one class on one CCD: that is what has to be put right.
  if (bench.host().write(group_file("bulkhead.c7", "schemata"), "L3:3=f\n") != 0) std::abort();
  bench.apply(policy);
  bench::say("one_change_writes", static_cast<double>(bench.changes()));
  bench::say("one_change_domains", bench.domains());
}

// Threads that get into a group by their ids, as services without CPUs of their own do.
double writes_to_move(sim::Generation generation, const Machine& machine, unsigned threads) {
  constexpr const char* kPolicy = R"({
    "bulkhead": 1, "name": "threads",
    "services": {"web": {"select": {"comm": "web"}, "cpus": "all", "l3": "50%", "assign": "tasks"}}
  })";
  Bench bench(generation, machine);
  const unsigned process = bench.host().spawn({.name = "web", .executable = "/usr/bin/web"});
  for (unsigned thread = 1; thread < threads; ++thread) bench.host().spawn_thread(process);
  bench.apply(kPolicy);
  const std::string there = bench.host().read(group_file("bulkhead.web", "tasks")).text;
  if (std::count(there.begin(), there.end(), '\n') != threads) {
    throw Error(ErrorCode::internal, "not all threads are in their group");
  }
  return bench.writes("/tasks");
}

}  // namespace
}  // namespace bulkhead

int main(int count, char** words) {
  using namespace bulkhead;
  if (count != 4) {
    std::fputs("usage: write_counts POLICY MACHINE THREADS\n", stderr);
    return 2;
  }
  try {
    const Machine machine = load_machine(words[2]).machine;
    const unsigned threads = bench::runs_from(words[3]);
    count_applies(read_text_file(words[1]), machine);
    bench::say("threads_by_list", writes_to_move(sim::Generation::linux_7, machine, threads));
    bench::say("threads_one_each", writes_to_move(sim::Generation::linux_6_1, machine, threads));
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "write_counts: %s\n", error.what());
    return 1;
  }
}

// SPDX-License-Identifier: Apache-2.0
// "apply_cost RUNS POLICY DIRECTORY" on a fake host whose groups exist: what the engine adds to bare writes.
// DIRECTORY is for the state and must be on a tmpfs, so that fsync costs what it does in /run.
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <unistd.h>

#include "controller/base/error.h"
#include "controller/base/unique_fd.h"
#include "controller/engine/engine.h"
#include "controller/kernel/paths.h"
#include "controller/topology/hwloc_loader.h"
#include "controller/topology/text_file.h"
#include "tests/bench/stopwatch.h"

namespace bulkhead {
namespace {

struct NoCgroups : Actuator {
  void apply(const Step& step) override { throw Error(ErrorCode::internal, "unexpected: " + describe(step)); }
  void undo(const Step& step) override { apply(step); }
};

// A file of a step with what to write: the floor is one pwrite of it.
struct OpenWrite {
  UniqueFd file;
  std::string wanted;
  std::string before;

  void write(const std::string& text) const {
    if (::pwrite(file.get(), text.data(), text.size(), 0) != std::ssize(text)) std::abort();
  }
};

std::vector<OpenWrite> open_writes(const std::vector<Step>& steps) {
  std::vector<OpenWrite> writes;
  for (const Step& step : steps) {
    const bool schemata = step.kind == StepKind::write_schemata;
    if (!schemata && step.kind != StepKind::write_cpus) continue;
    const std::string path =
        std::string(paths::kResctrl) + '/' + step.target + (schemata ? "/schemata" : "/cpus_list");
    writes.push_back({.file = UniqueFd(::open(path.c_str(), O_RDWR | O_CLOEXEC)),
                      .wanted = step.text.ends_with('\n') ? step.text : step.text + '\n',
                      .before = read_text_file(path)});
  }
  return writes;
}

// The plain files of the fake host keep what a shorter text does not cover.
void put_back(const std::vector<OpenWrite>& writes) {
  for (const OpenWrite& write : writes) {
    if (::ftruncate(write.file.get(), 0) != 0) std::abort();
    write.write(write.before);
  }
}

struct Times {
  std::vector<double> floor, actuator, transaction, engine, again;
};

void measure(unsigned runs, const std::string& policy, const std::string& directory) {
  const auto files = make_linux_file_system();
  const Machine machine = load_live_machine();
  Store store(directory);
  Engine engine(*files, nullptr, store, machine);
  NoCgroups no_cgroups;
  const PolicySource source{policy, "policy"};
  const std::vector<Step> steps = engine.propose(source).diff.steps;
  const std::vector<OpenWrite> writes = open_writes(steps);
  Times times;
  for (unsigned run = 0; run < runs; ++run) {
    times.floor.push_back(bench::timed([&] {
      for (const OpenWrite& write : writes) write.write(write.wanted);
    }));
    times.actuator.push_back(bench::timed([&] {
      for (const Step& step : steps) engine.groups().apply(step);
    }));
    times.transaction.push_back(bench::timed([&] {
      Journal journal(store);
      Transaction transaction(journal, {engine.groups(), no_cgroups});
      transaction.run("bench", "apply", steps);
      transaction.commit();
    }));
    put_back(writes);
    std::filesystem::remove_all(directory + "/state");
    times.engine.push_back(bench::timed([&] { engine.apply(source); }));
    times.again.push_back(bench::timed([&] { engine.apply(source); }));
    put_back(writes);
  }
  bench::say("steps", static_cast<double>(steps.size()));
  bench::say("writes", static_cast<double>(writes.size()));
  bench::say("floor", bench::median(times.floor));
  bench::say("actuator", bench::median(times.actuator));
  bench::say("transaction", bench::median(times.transaction));
  bench::say("engine", bench::median(times.engine));
  bench::say("again", bench::median(times.again));
}

}  // namespace
}  // namespace bulkhead

int main(int count, char** words) {
  if (count != 4) {
    std::fputs("usage: apply_cost RUNS POLICY DIRECTORY\n", stderr);
    return 2;
  }
  try {
    bulkhead::measure(bulkhead::bench::runs_from(words[1]), bulkhead::read_text_file(words[2]), words[3]);
    return 0;
  } catch (const bulkhead::Error& error) {
    std::fprintf(stderr, "apply_cost: %s\n", error.what());
    return 1;
  }
}

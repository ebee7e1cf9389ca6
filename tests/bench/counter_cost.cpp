// SPDX-License-Identifier: Apache-2.0
// "counter_cost RUNS DIRECTORY": a sweep of 1,152 counter files of a host with 16 groups and 24 CCDs, made in
// DIRECTORY (on a tmpfs), as the monitor does it; beside bare preads, and beside stdio.
#include <array>
#include <cinttypes>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "controller/base/unique_fd.h"
#include "controller/monitor/counter_files.h"
#include "controller/monitor/sampler.h"
#include "tests/bench/stopwatch.h"

namespace bulkhead {
namespace {

constexpr unsigned kGroups = 15;  // beside the default one
constexpr unsigned kCcds = 24;

std::vector<std::string> make_counters(const std::string& root) {
  std::vector<std::string> files;
  for (unsigned group = 0; group <= kGroups; ++group) {
    for (unsigned ccd = 0; ccd < kCcds; ++ccd) {
      const std::string folder = root + (group == 0 ? "" : "/group" + std::to_string(group)) +
                                 "/mon_data/mon_L3_" + (ccd < 10 ? "0" : "") + std::to_string(ccd);
      std::filesystem::create_directories(folder);
      for (const CounterEvent event : kCounterEvents) {
        files.push_back(folder + '/' + std::string(to_string(event)));
        std::ofstream(files.back()) << 123'456'789'000ULL + files.size() * 4096 << '\n';
      }
    }
  }
  return files;
}

std::uint64_t sum_by_stdio(const std::vector<std::string>& files) {
  std::uint64_t sum = 0;
  for (const std::string& path : files) {
    std::FILE* file = std::fopen(path.c_str(), "r");
    std::uint64_t value = 0;
    if (file == nullptr || std::fscanf(file, "%" SCNu64, &value) != 1) std::abort();
    std::fclose(file);
    sum += value;
  }
  return sum;
}

int run(const std::vector<std::string>& words) {
  const unsigned runs = bench::runs_from(words.at(1).c_str());
  const std::vector<std::string> files = make_counters(words.at(2));
  std::vector<UniqueFd> open_files;
  for (const std::string& path : files) open_files.emplace_back(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto file_system = make_linux_file_system();
  CounterFiles source(*file_system, words.at(2));
  Sampler sampler(source);
  const auto sweep = [&] {
    sampler.sample(
        {CounterEvent::llc_occupancy, CounterEvent::mbm_total_bytes, CounterEvent::mbm_local_bytes});
  };
  const auto preads = [&] {
    std::array<char, 32> text;
    for (const UniqueFd& file : open_files) {
      if (::pread(file.get(), text.data(), text.size(), 0) <= 0) std::abort();
    }
  };
  sweep();
  std::vector<double> floor, ours, stdio, second;
  for (unsigned number = 0; number < runs; ++number) {  // in turn, so that all meet the same machine
    floor.push_back(bench::timed(preads));
    ours.push_back(bench::timed(sweep));
    // What the reading plan asks for in a second, on average.
    second.push_back(bench::timed([&] { sampler.sample({CounterEvent::mbm_total_bytes}); }) +
                     bench::timed([&] { sampler.sample({CounterEvent::llc_occupancy}); }) / 5);
    stdio.push_back(bench::timed([&] { sum_by_stdio(files); }));
  }
  bench::say("floor", bench::median(floor));
  bench::say("ours", bench::median(ours));
  bench::say("second", bench::median(second));
  bench::say("stdio", bench::median(stdio));
  return 0;
}

}  // namespace
}  // namespace bulkhead

int main(int count, char** words) {
  return bulkhead::run({words, words + count});
}

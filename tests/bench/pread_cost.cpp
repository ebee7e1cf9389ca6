// SPDX-License-Identifier: Apache-2.0
// "pread_cost RUNS FILE": the time that one pread(2) of an open file takes, somebody else's work in it included.
#include <chrono>
#include <fcntl.h>
#include <unistd.h>

#include "controller/base/unique_fd.h"
#include "tests/bench/stopwatch.h"

int main(int count, char** words) {
  using namespace bulkhead;
  constexpr unsigned kBatch = 100;
  const UniqueFd file(count == 3 ? ::open(words[2], O_RDONLY | O_CLOEXEC) : -1);
  if (!file) {
    std::fputs("usage: pread_cost RUNS FILE\n", stderr);
    return 2;
  }
  std::vector<double> batches;
  char text[64];
  for (unsigned run = 0; run < bench::runs_from(words[1]); ++run) {
    const auto start = std::chrono::steady_clock::now();
    for (unsigned read = 0; read < kBatch; ++read) {
      if (::pread(file.get(), text, sizeof text, 0) <= 0) return 1;
    }
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    batches.push_back(time.count() / kBatch);
  }
  bench::say("pread", bench::median(batches));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// "topology_cost RUNS": from nothing to a Machine, beside hwloc's own load and beside the fewest reads that
// find the L3 domains: one CPU of each, jumping over those that its shared_cpu_list names.
#include <cstdlib>
#include <hwloc.h>

#include "controller/base/cpu_set.h"
#include "controller/base/error.h"
#include "controller/kernel/file_system.h"
#include "controller/kernel/paths.h"
#include "controller/topology/hwloc_loader.h"
#include "tests/bench/stopwatch.h"

namespace bulkhead {
namespace {

std::size_t jump_over_shared_lists(FileSystem& files) {
  const auto folder = files.open_directory(std::string(paths::kCpu));
  CpuSet left = CpuSet::parse_list(trim(folder->read("online")));
  std::size_t domains = 0;
  for (; !left.empty(); ++domains) {
    const std::string cache = "cpu" + std::to_string(left.first()) + "/cache/index3/";
    if (!parse_integer<unsigned>(trim(folder->read(cache + "id")))) std::abort();
    left -= CpuSet::parse_list(trim(folder->read(cache + "shared_cpu_list")));
  }
  return domains;
}

// With what our loader asks of hwloc: less than that would not find a Machine.
void load_by_hwloc() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) std::abort();
  hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_CORE}) {
    hwloc_topology_set_type_filter(topology, type, HWLOC_TYPE_FILTER_KEEP_ALL);
  }
  hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED |
                                         HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS);
  hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  if (hwloc_topology_load(topology) != 0) std::abort();
  hwloc_topology_destroy(topology);
}

void measure(unsigned runs) {
  const auto files = make_linux_file_system();
  std::vector<double> jump, hwloc, ours;
  std::size_t domains = 0;
  std::size_t ccds = 0;
  for (unsigned run = 0; run < runs; ++run) {
    jump.push_back(bench::timed([&] { domains = jump_over_shared_lists(*files); }));
    hwloc.push_back(bench::timed(load_by_hwloc));
    ours.push_back(bench::timed([&] { ccds = load_live_machine().ccds.size(); }));
  }
  if (domains != ccds) throw Error(ErrorCode::internal, "the ways do not find the same CCDs");
  bench::say("ccds", static_cast<double>(ccds));
  bench::say("jump", bench::median(jump));
  bench::say("hwloc", bench::median(hwloc));
  bench::say("ours", bench::median(ours));
}

}  // namespace
}  // namespace bulkhead

int main(int count, char** words) {
  try {
    bulkhead::measure(bulkhead::bench::runs_from(count > 1 ? words[1] : "1"));
    return 0;
  } catch (const bulkhead::Error& error) {
    std::fprintf(stderr, "topology_cost: %s\n", error.what());
    return 1;
  }
}

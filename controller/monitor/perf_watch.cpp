// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/perf_watch.h"

#include "controller/kernel/descriptor_limit.h"

namespace bulkhead {

PerfWatch::PerfWatch(FileSystem& files, const Machine& machine, const std::string& service_root,
                     std::size_t limit)
    : system_(make_linux_perf_system()),
      cgroup_root_(perf_cgroup_root(read_mounts(files), service_root)),
      counters_(*system_, find_pmu(files, machine), machine, spare_descriptors(files, limit)) {}

}  // namespace bulkhead

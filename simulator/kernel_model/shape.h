// SPDX-License-Identifier: Apache-2.0
// Which kernel on which hardware is modelled. A value; the model never changes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controller/base/cpu_set.h"

namespace bulkhead::sim {

enum class Generation { linux_6_1, linux_6_12, linux_7 };
enum class Vendor { amd, intel };
enum class CgroupSetup { none, v1, v2 };

struct CpuPlace {
  unsigned cpu = 0;
  unsigned core = 0;  // on its socket
  unsigned l2 = 0;    // cache ids
  unsigned l3 = 0;
  unsigned node = 0;  // NUMA
  unsigned socket = 0;
};

struct CacheShape {
  unsigned closids = 16;
  unsigned mask_bits = 16;
  unsigned min_bits = 0;
  std::uint64_t shareable_mask = 0;  // ways that I/O uses too
  bool sparse = true;                // masks may have gaps
  bool cdp_capable = true;
  bool io_allocation = false;  // devices can have masks of their own: SDCIAE
  std::uint64_t bytes = 32 << 20;
};

struct BandwidthShape {
  unsigned closids = 16;
  bool percent = false;  // Intel; else eighths of a GB/s
  unsigned min = 0;
  unsigned granularity = 1;
  unsigned max = 2048;  // what the processor says; Linux 6.1 takes 2048 on any AMD processor
  bool per_thread = false;
};

struct MonitoringShape {
  unsigned rmids = 256;
  std::vector<std::string> events{"llc_occupancy", "mbm_total_bytes", "mbm_local_bytes"};
  std::uint64_t unit_bytes = 64;
  unsigned counter_bits = 44;
  std::uint64_t threshold_limit = 512 << 10;  // largest max_threshold_occupancy
  bool configurable_events = false;           // BMEC
  unsigned assignable_counters = 0;           // ABMC, in each domain
};

struct KernelShape {
  Generation generation = Generation::linux_6_1;
  Vendor vendor = Vendor::amd;
  std::string processor = "AMD EPYC-Milan Processor";
  std::vector<CpuPlace> cpus;  // ascending
  std::optional<CacheShape> l3 = CacheShape{};
  std::optional<CacheShape> l2;
  std::optional<BandwidthShape> bandwidth = BandwidthShape{};
  std::optional<BandwidthShape> slow_bandwidth;
  std::optional<MonitoringShape> monitoring = MonitoringShape{};
  std::uint64_t node_bytes = std::uint64_t{384} << 30;  // memory of each NUMA node
  bool resctrl_mounted = true;
  std::string mount_options;  // of that mount, "cdp,mba_MBps"
  CgroupSetup cgroup = CgroupSetup::v2;
  bool systemd = false;  // /run/systemd/system is there

  bool allocates() const { return l3 || l2 || bandwidth || slow_bandwidth; }
  bool has_resctrl() const { return allocates() || monitoring; }
  CpuSet all_cpus() const;
  CpuSet all_nodes() const;
  CpuSet cpus_of_node(unsigned node) const;
};

struct Layout {
  unsigned sockets = 1;
  unsigned ccds = 1;     // of a socket: L3 caches
  unsigned cores = 1;    // of a CCD
  unsigned threads = 2;  // of a core
  unsigned nodes = 1;    // of the whole host, in order of the CCDs
  bool first_threads_first =
      false;  // CPU 0 to n-1 are the first threads of all cores; else siblings are neighbours
  unsigned cores_per_l2 = 1;
};
// L3 ids start at a power of two on each socket, as APIC ids make them: three CCDs are 0-2 and 4-6.
std::vector<CpuPlace> lay_out(const Layout& layout);

// The hosts of the lab (tests/lab/profiles), with the same names.
KernelShape amd_12ccd(unsigned nodes = 2);
KernelShape amd_12ccd_192cpu();
KernelShape amd_2socket_3ccd();
KernelShape amd_2socket_12ccd();
KernelShape amd_smt_off();
KernelShape intel_2socket();
KernelShape intel_1socket_cdp();
KernelShape few_closids();
KernelShape cat_only();
KernelShape mba_only();
KernelShape mon_only();
KernelShape cdp();
KernelShape l2_only();
KernelShape cgroup_v1();
KernelShape no_rdt();
KernelShape epyc_9965(unsigned nodes = 2);  // 384 CPUs, at full size

KernelShape with(KernelShape shape, Generation generation);

}  // namespace bulkhead::sim

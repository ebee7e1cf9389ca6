// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/topology/sysfs_tree.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace bulkhead {
namespace {

// The kernel's bitmap format: words of 32 bits, the highest first.
std::string to_map(const CpuSet& cpus) {
  std::string map;
  const unsigned words = cpus.empty() ? 1 : cpus.last() / 32 + 1;
  for (unsigned word = words; word-- > 0;) {
    std::uint32_t bits = 0;
    for (unsigned bit = 0; bit < 32; ++bit) {
      if (cpus.contains(word * 32 + bit)) bits |= 1U << bit;
    }
    std::array<char, 10> text;
    std::snprintf(text.data(), text.size(), "%08x", bits);
    map += (map.empty() ? "" : ",") + std::string(text.data());
  }
  return map;
}

}  // namespace

SysfsTree::SysfsTree(const std::vector<SysfsCpu>& cpus, const std::vector<SysfsNode>& nodes)
    : root_(testing::TempDir() + "sysfs-" + std::to_string(::getpid())) {
  CpuSet present;
  CpuSet online;
  std::string cpuinfo;
  for (const SysfsCpu& cpu : cpus) {
    present.insert(cpu.cpu);
    if (cpu.online) {
      online.insert(cpu.cpu);
      cpuinfo += "processor\t: " + std::to_string(cpu.cpu) +
                 "\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 9000\n\n";
    }
    write_cpu(cpu);
  }
  write("proc/cpuinfo", cpuinfo);
  write("proc/hwloc-nofile-info", "OSName: Linux\nArchitecture: x86_64");  // in place of uname(2)
  write("sys/devices/system/cpu/present", present.to_list());
  write("sys/devices/system/cpu/possible", present.to_list());
  write("sys/devices/system/cpu/online", online.to_list());
  CpuSet node_ids;
  for (const SysfsNode& node : nodes) {
    const std::string folder = "sys/devices/system/node/node" + std::to_string(node.node);
    write(folder + "/cpumap", to_map(node.cpus));
    write(folder + "/cpulist", node.cpus.to_list());
    write(folder + "/meminfo", "Node " + std::to_string(node.node) +
                                   " MemTotal:       " + std::to_string(node.memory_kib) + " kB");
    node_ids.insert(node.node);
  }
  if (!nodes.empty()) write("sys/devices/system/node/online", node_ids.to_list());
  ::setenv("HWLOC_FSROOT", root_.c_str(), 1);
}

SysfsTree::~SysfsTree() {
  ::unsetenv("HWLOC_FSROOT");
  std::filesystem::remove_all(root_);
}

void SysfsTree::write(const std::string& path, const std::string& text) const {
  const auto whole = root_ / path;
  std::filesystem::create_directories(whole.parent_path());
  std::ofstream(whole) << text << '\n';
}

void SysfsTree::write_cpu(const SysfsCpu& cpu) const {
  const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu.cpu);
  write(folder + "/online", cpu.online ? "1" : "0");
  if (!cpu.online) return;  // the kernel removes the rest
  write(folder + "/topology/core_id", std::to_string(cpu.core.first()));
  write(folder + "/topology/physical_package_id", std::to_string(cpu.socket));
  write(folder + "/topology/core_cpus", to_map(cpu.core));
  write(folder + "/topology/package_cpus", to_map(cpu.socket_cpus));
  if (cpu.highest_khz != 0) write(folder + "/cpufreq/cpuinfo_max_freq", std::to_string(cpu.highest_khz));
  if (!cpu.l3) return;
  const std::string cache = folder + "/cache/index3";
  write(cache + "/level", "3");
  write(cache + "/type", "Unified");
  write(cache + "/size", "32768K");
  write(cache + "/ways_of_associativity", "16");
  write(cache + "/coherency_line_size", "64");
  write(cache + "/shared_cpu_map", to_map(*cpu.l3));
  if (cpu.cache_id) write(cache + "/id", std::to_string(*cpu.cache_id));
}

}  // namespace bulkhead

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "controller/topology/machine_file.h"

namespace bulkhead {
namespace {

// Everything that a file can hold, with values that are easily lost.
Host odd_host() {
  const std::string text = R"({
  "bulkhead_machine": 1, "name": "odd \"host\"", "vendor": "someone", "model": "Model/1 ~ü",
  "topology": {
    "cores": [{"threads": ["1-3", "9-11"], "efficiency": 1}, {"threads": ["4,6"], "efficiency": 0},
              {"threads": ["20-23:1/2", "21-23:1/2"], "efficiency": 1}],
    "l3": [{"id": 7, "cpus": "1-3,9-11", "size": "1536 KiB"}, {"id": 2, "cpus": "20-23", "size": "1000001"}],
    "nodes": [{"id": 3, "cpus": "1-4,9-11", "memory": "12345"}, {"id": 1, "cpus": "6,20-23", "memory": "0"},
              {"id": 9, "cpus": "", "memory": "1 GiB"}],
    "sockets": [{"id": 5, "cpus": "1-23:1/1"}]
  },
  "offline": "5,7-8,12-19",
  "capabilities": {
    "mount_options": "cdp,mba_MBps", "cdp": true,
    "l3": {"closids": 7, "mask": "fff", "min_ways": 2, "shareable": "c00", "sparse": true},
    "l2": {"closids": 4, "mask": "ff"},
    "memory_bandwidth": {"closids": 8, "unit": "mib_per_second", "min": 1, "granularity": 3, "unlimited": 4294967295},
    "slow_bandwidth": {"closids": 9, "unit": "percent", "min": 10, "granularity": 10, "unlimited": 100},
    "monitoring": {"rmids": 3, "events": []},
    "domains": [2, 7, 11],
    "ccd_bandwidth": "51.234567MB/s"
  }
})";
  return read_machine_file(text, "odd.json");
}

TEST(MachineWriter, writes_what_reads_back_equal) {
  const Host host = odd_host();
  EXPECT_EQ(host.capabilities.ccd_bandwidth, 51'234'567U);
  const Host again = read_machine_file(write_machine_file(host), "again.json");
  EXPECT_EQ(again.machine, host.machine);
  EXPECT_EQ(again.capabilities, host.capabilities);
}

TEST(MachineWriter, keeps_a_host_without_mounted_resctrl) {
  Host host = odd_host();
  host.capabilities = {};
  host.capabilities.ccd_bandwidth = 40'000'000'000;
  const Host again = read_machine_file(write_machine_file(host), "again.json");
  EXPECT_FALSE(again.capabilities.resctrl);
  EXPECT_EQ(again.capabilities, host.capabilities);
}

TEST(MachineWriter, writes_a_short_and_stable_text) {
  EXPECT_EQ(write_machine_file(load_machine("lab-intel-2socket")), R"({
  "bulkhead_machine": 1,
  "name": "lab-intel-2socket",
  "vendor": "intel",
  "topology": {
    "sockets": [
      {"id":0,"cpus":"0-11"},
      {"id":1,"cpus":"12-23"}
    ],
    "nodes": [
      {"id":0,"cpus":"0-11","memory":"512 MiB"},
      {"id":1,"cpus":"12-23","memory":"512 MiB"}
    ],
    "l3": [
      {"id":0,"cpus":"0-11","size":"54 MiB"},
      {"id":1,"cpus":"12-23","size":"54 MiB"}
    ],
    "cores": [
      {"threads":["0,2,4,6,8,10,12,14,16,18,20,22","1,3,5,7,9,11,13,15,17,19,21,23"]}
    ]
  },
  "capabilities": {
    "resctrl": true,
    "mount_options": "",
    "l3": {"closids":15,"mask":"fff","min_ways":1,"shareable":"c00","sparse":false},
    "cdp": false,
    "memory_bandwidth": {"closids":15,"unit":"percent","min":10,"granularity":10,"unlimited":100},
    "monitoring": {"rmids":224,"events":["llc_occupancy","mbm_total_bytes","mbm_local_bytes"]},
    "domains": [0,1]
  }
}
)");
}

}  // namespace
}  // namespace bulkhead

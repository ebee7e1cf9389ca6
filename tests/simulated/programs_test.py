#!/usr/bin/python3
"""What programs that know nothing of it see of a simulated host: lscpu, lstopo, pqos, rdtset.

    programs_test.py BULKHEAD-SIM BULKHEAD [CLASS[.TEST]...]
"""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from simulator import BULKHEAD, SMALL, TURIN, answer_cpuid, main, sim


class Programs(unittest.TestCase):
    def test_lscpu_sees_the_processor(self):
        shown = dict(line.split(":", 1) for line in sim(TURIN, "LC_ALL=C lscpu").stdout.splitlines())
        flags = shown.pop("Flags").split()
        for asked in ("Hypervisor vendor", "Virtualization type"):
            shown.pop(asked, None)  # lscpu asks the processor itself
        self.assertEqual({name.strip(): value.strip() for name, value in shown.items()}, {
            "Architecture": "x86_64", "CPU op-mode(s)": "32-bit, 64-bit", "Address sizes": "52 bits physical, 57 bits virtual",
            "Byte Order": "Little Endian", "CPU(s)": "384", "On-line CPU(s) list": "0-383", "Vendor ID": "AuthenticAMD",
            "Model name": "AMD EPYC 9965 192-Core Processor", "CPU family": "26", "Model": "17", "Thread(s) per core": "2",
            "Core(s) per socket": "192", "Socket(s)": "1", "Stepping": "0", "BogoMIPS": "4500.00", "Virtualization": "AMD-V",
            "L1d cache": "9 MiB (192 instances)", "L1i cache": "6 MiB (192 instances)", "L2 cache": "192 MiB (192 instances)",
            "L3 cache": "384 MiB (12 instances)", "NUMA node(s)": "2", "NUMA node0 CPU(s)": "0-95,192-287",
            "NUMA node1 CPU(s)": "96-191,288-383"})
        self.assertLessEqual({"lm", "sse2", "avx2", "avx512f", "cat_l3", "cdp_l3", "mba", "rdt_a", "cqm_llc", "cqm_mbm_total"},
                             set(flags))

    def test_lscpu_sees_two_sockets_and_cpus_that_are_off(self):
        done = sim("xeon-8380-2s", """echo 0 > /sys/devices/system/cpu/cpu159/online
            LC_ALL=C lscpu | grep -E '^(CPU op|On-line|Off-line|Model name|Thread|Core|Socket|L3|NUMA)' | tr -s ' '
            tail -n 28 /proc/cpuinfo | grep -E '^(processor|siblings)'""")
        self.assertEqual(done.stdout.splitlines(), [
            "CPU op-mode(s): 32-bit, 64-bit", "On-line CPU(s) list: 0-158", "Off-line CPU(s) list: 159",
            "Model name: Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz", "Thread(s) per core: 2", "Core(s) per socket: 40",
            "Socket(s): 2", "L3 cache: 120 MiB (2 instances)", "NUMA node(s): 2", "NUMA node0 CPU(s): 0-39,80-119",
            "NUMA node1 CPU(s): 40-79,120-158", "processor\t: 158", "siblings\t: 79"], done.stderr)

    def test_hwloc_sees_the_topology(self):
        shown = sim(TURIN, "lstopo-no-graphics --no-io --of console").stdout
        for kind, count in (("L3 L#", 12), ("NUMANode L#", 2), ("Core L#", 192), ("PU L#", 384)):
            self.assertEqual(shown.count(kind), count, kind)

    def test_bulkhead_needs_to_know_nothing_of_it(self):
        with tempfile.TemporaryDirectory() as folder:
            done = sim(TURIN, f"""
                state() {{ find /sys/fs/resctrl /sys/fs/cgroup -type f ! -path '*mon_data*' ! -name tasks ! -name 'cgroup.*' |
                           sort | xargs grep -H . ; }}
                mkdir -p /sys/fs/cgroup/system.slice/proxy.service; state > {folder}/before
                run() {{ {BULKHEAD} "$@" --runtime-dir {folder}/run; echo "$1 $?"; }}
                run apply examples/gen13/numa-6-of-12.json --yes; cat /sys/fs/resctrl/bulkhead.proxy/cpus_list
                run verify; run reset --yes; state > {folder}/after""")
            self.assertIn("apply 0\n0-95,192-287\n", done.stdout, done.stderr)
            self.assertIn("verify 0\n", done.stdout)
            self.assertIn("reset 0\n", done.stdout)
            with open(folder + "/before", encoding="utf-8") as before, open(folder + "/after", encoding="utf-8") as after:
                text = before.read()
                self.assertEqual(after.read(), text)
                self.assertIn("/sys/fs/resctrl/schemata:", text)


class Pqos(unittest.TestCase):
    """Debian's pqos and rdtset. The processor itself may lack the leaves that they ask it for: those are answered."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.env = f"env LD_PRELOAD={answer_cpuid(cls.folder.name)} CPUID_THREADS=24 CPUID_L3_THREADS=2"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_pqos_defines_and_assigns_classes(self):
        done = sim(SMALL, f"""
            {self.env} pqos --iface=os -e 'llc:1=0xff;mba:1=40'; {self.env} pqos --iface=os -a 'llc:1=0-3'
            cat /sys/fs/resctrl/COS1/schemata /sys/fs/resctrl/COS1/cpus_list; {self.env} pqos --iface=os -s
            {self.env} pqos --iface=os -R; cat /sys/fs/resctrl/COS1/schemata /sys/fs/resctrl/COS1/cpus_list""",
                   "--kernel", "6.1")
        self.assertIn("Core Complex 11 MBA COS1 => 40 requested, 40 applied\n", done.stdout, done.stderr)
        self.assertIn("    MB:" + ";".join(f"{ccd}=  40" for ccd in range(12)) + "\n    L3:" +
                      ";".join(f"{ccd}=00ff" for ccd in range(12)) + "\n0-3\n", done.stdout)
        self.assertIn("    L3CA COS1 => MASK 0xff\n", done.stdout)
        self.assertIn("Core 3, L2ID 1, L3ID 1 => COS1\n", done.stdout)
        self.assertIn("Allocation reset successful\n    MB:" + ";".join(f"{ccd}=2048" for ccd in range(12)), done.stdout)

    def test_pqos_monitors_as_far_as_it_can_without_a_pmu(self):
        done = sim(SMALL, f"{self.env} pqos --iface=os -t 1 -m 'llc:0-3'; ls /sys/fs/resctrl/mon_groups | wc -l", "--kernel", "6.1")
        self.assertIn("ERROR: Failed to open perf event!\n", done.stdout)
        self.assertTrue(done.stdout.endswith("\n0\n"), done.stdout)

    def test_pqos_mounts_resctrl_itself(self):
        done = sim(SMALL, f"""
            umount /sys/fs/resctrl; {self.env} pqos --iface=os -e 'llc:1=0xff'; grep resctrl /proc/mounts
            {self.env} pqos --iface=os -R l3cdp-on; grep resctrl /proc/mounts""", "--kernel", "6.1")
        self.assertIn("Allocation configuration altered.\nresctrl /sys/fs/resctrl resctrl rw,relatime 0 0\n", done.stdout,
                      done.stderr)
        self.assertTrue(done.stdout.endswith("resctrl /sys/fs/resctrl resctrl rw,relatime,cdp 0 0\n"), done.stdout)

    def test_rdtset_binds_its_command(self):
        done = sim(SMALL, f"{self.env} rdtset --iface=os -t 'l3=0xf;cpu=2-4' -c 2-4 sh -c 'nproc; taskset -cp $$'",
                   "--kernel", "6.1")
        self.assertRegex(done.stdout, r"3\npid \d+'s current affinity list: 2-4\n")

    def test_rdtset_runs_a_command_in_a_class(self):
        done = sim(SMALL, f"""{self.env} rdtset --iface=os -t 'l3=0xf;cpu=0-1' -c 0 sh -c '
            file=$(grep -lx 0-1 /sys/fs/resctrl/COS*/cpus_list); grep L3: ${{file%/*}}/schemata'""", "--kernel", "6.1")
        self.assertIn("    L3:" + ";".join(["0=000f"] + [f"{ccd}=ffff" for ccd in range(1, 12)]) + "\n", done.stdout,
                      done.stderr)


if __name__ == "__main__":
    main()

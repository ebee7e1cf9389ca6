"""Checks what guests of the host profiles find, and the simulated hardware under it."""

import subprocess
import unittest

from resctrl_lab import profiles
from self_test_support import HOST, LAB, lab, lines, shell

FULL_SIZE = "amd-12ccd-192cpu"  # see nightly_lab.py
SCHEMATA = "cat /sys/fs/resctrl/schemata"


def setUpModule():
    """Boots two at a time, which the tests themselves would not."""
    hosts = [name for name in profiles.names() if name not in (FULL_SIZE, "systemd")]
    subprocess.run([LAB / "save", *hosts], check=True, stdout=subprocess.DEVNULL)


def caches(level):
    """A script that prints a level's caches in the order of CPUs: id and CPUs."""
    return f"cd /sys/devices/system/cpu; for cpu in $(seq 0 $(($(nproc) - 1))); do " \
           f"cd cpu$cpu/cache/index{level}; echo $(cat id shared_cpu_list); cd ../../..; done | uniq"


class Hosts(unittest.TestCase):
    def schemata(self, host, expected, **options):
        self.assertEqual([line.strip() for line in lines(SCHEMATA, host, **options)], expected)

    def test_amd(self):
        self.schemata("amd-12ccd-nps1", ["MB:" + ";".join(f"{n}=2048" for n in range(12)),
                                         "L3:" + ";".join(f"{n}=ffff" for n in range(12))])
        self.assertEqual(lines("cat /sys/devices/system/node/node*/cpulist", "amd-12ccd-nps1"),
                         ["0-23"])

    def test_numa_nodes(self):
        script = "cd /sys/devices/system/node; cat node*/cpulist node0/distance"
        for host, expected in ((HOST, ["0-11", "12-23", "10 12"]),
                               ("amd-2ccd", ["0-3", "4-7", "10 12"]),
                               ("intel-2socket", ["0-11", "12-23", "10 20"]),
                               ("amd-2socket-3ccd", ["0-5,12-17", "6-11,18-23", "10 32"])):
            with self.subTest(host=host):
                self.assertEqual(lines(script, host), expected)

    def test_ids_with_holes(self):
        self.schemata("amd-2socket-3ccd",
                      ["MB:0=2048;1=2048;2=2048;4=2048;5=2048;6=2048",
                       "L3:0=ffff;1=ffff;2=ffff;4=ffff;5=ffff;6=ffff"])
        self.assertEqual(lines(caches(3), "amd-2socket-3ccd")[:6],
                         ["0 0-1,12-13", "1 2-3,14-15", "2 4-5,16-17",
                          "4 6-7,18-19", "5 8-9,20-21", "6 10-11,22-23"])

    def test_two_sockets_of_twelve(self):
        ids = [*range(12), *range(16, 28)]
        self.schemata("amd-2socket-12ccd", ["MB:" + ";".join(f"{n}=2048" for n in ids),
                                            "L3:" + ";".join(f"{n}=ffff" for n in ids)])

    def test_intel(self):
        script = "cd /sys/fs/resctrl; cat schemata info/L3/shareable_bits " \
                 "info/MB/min_bandwidth info/MB/bandwidth_gran"
        self.assertEqual(lines(script, "intel-2socket"),
                         ["    MB:0=100;1=100", "    L3:0=fff;1=fff", "c00", "10", "10"])

    def test_intel_with_cdp(self):
        self.schemata("intel-1socket-cdp", ["MB:0=100", "L3DATA:0=fff", "L3CODE:0=fff"])
        script = "cat /sys/fs/resctrl/info/L3CODE/num_closids " \
                 "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list"
        self.assertEqual(lines(script, "intel-1socket-cdp"), ["7", "0,8"])

    def test_l2_only(self):
        self.schemata("l2-only", ["L2:0=ff;1=ff;2=ff;3=ff"])
        self.assertEqual(lines(caches(2), "l2-only"), ["0 0-1", "1 2-3", "2 4-5", "3 6-7"])
        self.assertEqual(lines("ls /sys/fs/resctrl/info; cat /sys/fs/resctrl/info/L2/num_closids",
                               "l2-only"), ["L2", "last_cmd_status", "4"])
        self.schemata("l2-only", ["L2DATA:0=ff;1=ff;2=ff;3=ff", "L2CODE:0=ff;1=ff;2=ff;3=ff"],
                      options=["--mount-options", "cdpl2"])

    def test_smt_off(self):
        script = "cat /sys/devices/system/cpu/smt/control " \
                 "/sys/devices/system/cpu/cpu1/topology/thread_siblings_list"
        self.assertEqual(lines(script, "amd-smt-off"), ["notsupported", "1"])
        self.assertEqual(lines(caches(3), "amd-smt-off")[:2], ["0 0-1", "1 2-3"])

    def test_hosts_without_some_features(self):
        features = "ls -d /sys/fs/resctrl/info/*/ | sed 's,.*info/,,; s,/,,' | tr '\\n' ' '"
        for host, expected in (("cat-only", "L3 "), ("mba-only", "MB "), ("mon-only", "L3_MON "),
                               ("cdp", "L3CODE L3DATA L3_MON MB ")):
            with self.subTest(host=host):
                self.assertEqual(shell(features, host), expected)

    def test_host_without_rdt(self):
        self.assertEqual(shell("grep -c resctrl /proc/filesystems || true", "no-rdt"), "0\n")

    def test_few_groups(self):
        script = "cd /sys/fs/resctrl; mkdir a b c; mkdir d 2> /dev/null || cat info/last_cmd_status"
        self.assertEqual(shell(script, "few-closids"), "Out of CLOSIDs\n")

    def test_foreign_groups(self):
        script = """
            cd /sys/fs/resctrl
            ls -d */ */mon_groups/*
            sed 's/;2=.*//' database/schemata
            cat p1/cpus_list
            cat /proc/$(cat database/tasks)/comm
            grep PPid /proc/$(cat database/tasks)/status
            mkdir mine; mkdir too_many 2> /dev/null || cat info/last_cmd_status
        """
        self.assertEqual(lines(script, "few-closids-foreign"), [
            "database/", "database/mon_groups/queries", "info/", "mon_data/", "mon_groups/", "p1/",
            "    MB:0= 512;1=2048", "    L3:0=fff0;1=fff0", "22-23", "sleep", "PPid:\t1",
            "Out of CLOSIDs"])

    def test_cgroup_v1(self):
        script = "grep -E '/sys/fs/cgroup/' /proc/mounts | cut -d' ' -f2,3,4; " \
                 "cat /sys/fs/cgroup/cpuset/cpuset.cpus; mkdir /sys/fs/cgroup/cpuset/a; " \
                 "echo 3-4 > /sys/fs/cgroup/cpuset/a/cpuset.cpus; " \
                 "cat /sys/fs/cgroup/cpuset/a/cpuset.cpus; " \
                 "grep -c cpuset /sys/fs/cgroup/unified/cgroup.controllers || true"
        self.assertEqual(lines(script, "cgroup-v1"),
                         ["/sys/fs/cgroup/cpuset cgroup rw,relatime,cpuset",
                          "/sys/fs/cgroup/unified cgroup2 rw,relatime", "0-23", "3-4", "0"])

    def test_unknown_host(self):
        done = lab(["true"], "no-such-host")
        self.assertEqual((done.returncode, done.stdout), (125, ""))
        self.assertIn("no host profile 'no-such-host'; there are: amd-12ccd-192cpu", done.stderr)


class Hardware(unittest.TestCase):
    def test_controls_reach_the_registers_of_their_domain(self):
        script = """
            cd /sys/fs/resctrl
            mkdir a
            echo L3:3=f0 > a/schemata
            echo MB:3=16 > a/schemata
            for cpu in 5 6 7 8; do
                rdt-counter msr $cpu 0xc91
                rdt-counter msr $cpu 0xc0000201
            done
        """
        self.assertEqual([int(line, 16) for line in shell(script).split()],
                         [0xffff, 2048, 0xf0, 16, 0xf0, 16, 0xffff, 2048])

    def test_l2_masks_reach_the_registers_of_their_cache(self):
        script = "mkdir /sys/fs/resctrl/a; echo L2:1=f > /sys/fs/resctrl/a/schemata; " \
                 "for cpu in 1 2 3 4; do rdt-counter msr $cpu 0xd11; done"
        self.assertEqual([int(line, 16) for line in lines(script, "l2-only")],
                         [0xff, 0xf, 0xf, 0xff])

    def test_registers_with_ids_above_16(self):
        script = "mkdir /sys/fs/resctrl/a; echo L3:27=f0 > /sys/fs/resctrl/a/schemata; " \
                 "for cpu in 11 22 23 47; do rdt-counter msr $cpu 0xc91; done"
        self.assertEqual([int(line, 16) for line in lines(script, "amd-2socket-12ccd")],
                         [0xffff, 0xffff, 0xf0, 0xf0])

    def test_intel_bandwidth_is_a_delay(self):
        script = "mkdir /sys/fs/resctrl/a; echo MB:1=30 > /sys/fs/resctrl/a/schemata; " \
                 "rdt-counter msr 23 0xd51; rdt-counter msr 0 0xd51"
        self.assertEqual([int(line, 16) for line in shell(script, "intel-2socket").split()],
                         [70, 0])

    def test_counters(self):
        script = """
            cd /sys/fs/resctrl
            mkdir a
            read -r _ rmid << EOF
$(rdt-counter ids a)
EOF
            cd a/mon_data/mon_L3_03
            rdt-counter set 3 llc_occupancy $rmid 10
            rdt-counter set 3 mbm_total_bytes $rmid 1000
            cat llc_occupancy mbm_total_bytes ../mon_L3_04/llc_occupancy
            rdt-counter set 3 mbm_total_bytes $rmid $(((1 << 44) - 1))
            before=$(cat mbm_total_bytes)
            rdt-counter set 3 mbm_total_bytes $rmid $(((1 << 44) + 9))
            echo $(($(cat mbm_total_bytes) - before))
            rdt-counter fail 3 llc_occupancy $rmid unavailable
            rdt-counter fail 3 mbm_total_bytes $rmid error
            cat llc_occupancy mbm_total_bytes
        """
        self.assertEqual(shell(script).split(),
                         ["640", "64000", "0", "640", "Unavailable", "Error"])

    def test_counters_grow(self):
        script = """
            cd /sys/fs/resctrl/mon_data/mon_L3_00
            show() {
                cut -d' ' -f1 /proc/uptime; cat mbm_local_bytes; cut -d' ' -f1 /proc/uptime
            }
            rdt-counter set 0 mbm_local_bytes 0 0 1000000
            show; sleep 3; show
        """
        before, first, after, later, second, end = map(float, lines(script))
        seconds = (second - first) / 64e6
        tick = 0.05  # of the clock shown and of the counter
        self.assertGreaterEqual(seconds, later - after - tick)
        self.assertLessEqual(seconds, end - before + tick)

    def test_ids_follow_tasks(self):
        script = "cd /sys/fs/resctrl; mkdir a b a/mon_groups/m; " \
                 "for group in . a b a/mon_groups/m; do rdt-counter ids $group; done"
        self.assertEqual(shell(script).split("\n")[:-1], ["0 0", "1 1", "2 2", "1 3"])

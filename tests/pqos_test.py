#!/usr/bin/python3
"""bulkhead through libpqos, on simulated hosts: the same masks, bandwidth, CPUs and threads as through resctrl for every
policy that libpqos can express, a refusal before anything is written for the others, and nothing left afterwards.

    pqos_test.py BULKHEAD-SIM BULKHEAD
"""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from simulator import BULKHEAD, ROOT, SIM, SMALL, answer_cpuid, main

LIBPQOS = "libpqos.so.4"
# What libpqos can express, and what it cannot; ALL_POLICIES=1 also takes those that say the same again, and a full Turin.
EXPRESSIBLE, REFUSED, ON_A_FULL_TURIN = ["numa-6-of-12"], ["no-isolation"], []
if "ALL_POLICIES" in os.environ:
    ON_A_FULL_TURIN = ["pqos-3"]
    EXPRESSIBLE += ["bulk-throttled", "pqos-1", "pqos-2"]
    REFUSED += ["containers-by-cgroup", "whole-ccd-per-service"]

# All that a policy changes, as JSON; COSn by the names that the state has for them.
STATE = r'''
import glob, json, os, re, sys
R = "/sys/fs/resctrl"
def text(path):
    with open(path) as file: return file.read()
names = {}
if os.path.exists(sys.argv[1] + "/state.json"):
    names = {f"COS{n}": name for name, n in json.loads(text(sys.argv[1] + "/state.json"))["classes"].items()}
found = {}
for folder in [R, *sorted(filter(os.path.isdir, glob.glob(R + "/*")))]:
    name = os.path.basename(folder) if folder != R else ""
    if name in ("info", "mon_data", "mon_groups"): continue
    if name.startswith("COS") and name not in names and not text(folder + "/cpus_list").strip(): continue
    found[names.get(name, name)] = {
        "schemata": sorted(re.sub(r"[ \t]|(?<==)0+(?=\w)", "", line) for line in text(folder + "/schemata").splitlines()),
        "cpus": text(folder + "/cpus_list").strip() if name else "", "tasks": sorted(text(folder + "/tasks").split()) if name else []}
for path in sorted(glob.glob("/sys/fs/cgroup/**/cpuset.cpus", recursive=True)):
    found[path] = text(path)
print(json.dumps(found))
'''


class Through:
    """A host on which services run, and bulkhead with libpqos beside it."""

    @classmethod
    def prepare(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.library = answer_cpuid(cls.folder.name)
        with open(cls.folder.name + "/state.py", "w", encoding="utf-8") as file:
            file.write(STATE)
        with open(cls.folder.name + "/common.sh", "w", encoding="utf-8") as file:
            file.write(f"""
D=$(mktemp -d {cls.folder.name}/run.XXXXXX); C=/sys/fs/cgroup
service() {{ mkdir -p $C$1; sh -c 'sleep 60 & exec sleep 60' & echo $! > $C$1/cgroup.procs; }}
bh() {{ # its threads and caches are answered for; a sanitizer may come after what is preloaded
    env LD_PRELOAD="{LIBPQOS} {cls.library}" ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 {BULKHEAD} "$@" --runtime-dir $D
}}
state() {{ echo "#### $1"; python3 {cls.folder.name}/state.py $D; }}
part() {{ name=$1; shift; echo "#### $name"; "$@" 2>&1; echo "#= $?"; }}
groups() {{ ls -d /sys/fs/resctrl/COS* 2>/dev/null | wc -l; }}
service /proxy.slice/proxy.service; service /system.slice/database.service; sleep 0.2
""")

    @classmethod
    def sim(cls, script, machine=SMALL, threads=24, per_cache=2, kernel="6.1", vendor="amd", options=()):
        environment = {**os.environ, "CPUID_THREADS": str(threads), "CPUID_L3_THREADS": str(per_cache), "CPUID_VENDOR": vendor}
        done = subprocess.run([SIM, machine, "--kernel", kernel, *options, "--", "sh", "-c", f". {cls.folder.name}/common.sh\n" + script],
                              cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL,
                              check=False)
        found = {}
        for piece in re.split(r"^#### ", done.stdout, flags=re.M)[1:]:
            name, _, text = piece.partition("\n")
            assert name not in found, f"two parts {name}"
            found[name] = text
        assert found, done.stdout + done.stderr
        return found


def setUpModule():
    Through.prepare()


def example(name):
    found = glob.glob(f"examples/**/{name}.json", root_dir=ROOT, recursive=True)
    assert len(found) == 1, (name, found)
    return found[0]


def status(text):
    return int(re.search(r"^#= (\d+)$", text, re.M)[1])


class Policies(unittest.TestCase):
    SCRIPT = """
        state before
        part resctrl bh apply POLICY --yes; state "through resctrl"; part "reset resctrl" bh reset --yes; state between
        part pqos bh apply POLICY --yes --actuator pqos-os; state "through libpqos"; part verify bh verify
        part watch bh watch --once --json
        part "again" bh apply POLICY --yes
        part other bh apply POLICY --yes --actuator resctrl
        part "reset pqos" bh reset --yes; state after; part groups groups; part left ls $D"""

    def check(self, policy, machine=SMALL, **how):
        found = Through.sim(self.SCRIPT.replace("POLICY", policy), machine, **how)
        before = json.loads(found["before"])
        self.assertEqual(json.loads(found["between"]), before)
        self.assertEqual(json.loads(found["after"]), before)
        self.assertEqual(found["groups"], "0\n#= 0\n", "groups of libpqos are left")
        self.assertEqual(status(found["resctrl"]), 0, found["resctrl"])
        if status(found["pqos"]):
            self.assertEqual(json.loads(found["through libpqos"]), before)
            self.assertRegex(found["pqos"], r"or use --actuator resctrl|: use --actuator resctrl")
            return found["pqos"]
        self.assertEqual(json.loads(found["through libpqos"]), json.loads(found["through resctrl"]))
        self.assertNotEqual(json.loads(found["through libpqos"]), before)
        self.assertEqual(status(found["verify"]), 0, found["verify"])
        watched = json.loads(found["watch"].splitlines()[0])
        self.assertEqual(watched["holds"], True)
        ours = {group["group"]: group["services"] for group in watched["groups"] if group["group"].startswith("bulkhead.")}
        self.assertIn("proxy", sum(ours.values(), []))
        self.assertEqual([name for name, services in ours.items() if not services], [])
        self.assertIn("already as planned: nothing was written\n#= 0\n", found["again"])
        self.assertRegex(found["other"], "the policy in force was written through pqos-os, and both at once do not go: "
                                         "`bulkhead reset` first, then resctrl\n(.*\n)*#= 1\n")
        self.assertEqual(status(found["reset pqos"]), 0, found["reset pqos"])
        return ""

    def test_examples_come_out_as_through_resctrl(self):
        for name in EXPRESSIBLE:
            with self.subTest(policy=name):
                self.assertEqual(self.check(example(name)), "")
        for name in ON_A_FULL_TURIN:
            self.assertEqual(self.check(example(name), "epyc-9965-nps2", threads=384, per_cache=32), "")

    def test_the_others_are_refused(self):
        for name in REFUSED:
            with self.subTest(policy=name):
                self.assertRegex(self.check(example(name)), "counted in (a )?monitoring groups?, which libpqos cannot make")

    def write(self, name, **services):
        path = f"{Through.folder.name}/{name}.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"bulkhead": 1, "name": name, "services": services}, file)
        return path

    def test_threads_and_bandwidth(self):
        self.assertEqual(self.check(self.write(
            "threads",
            proxy={"select": {"cgroup": "/proxy.slice"}, "cpus": {"ccds": "0-1"}, "l3": {"ways": 6}, "bandwidth": "20GB/s"},
            database={"select": {"cgroup": "/system.slice"}, "cpus": {"ccds": "1-2"}, "l3": {"ways": 4}})), "")

    def test_an_intel_with_two_sockets(self):
        self.assertEqual(self.check(self.write(
            "sockets",
            proxy={"select": {"cgroup": "/proxy.slice"}, "cpus": {"nodes": "0"}, "exclusive_cpus": True, "l3": {"ways": 6},
                   "bandwidth": "50%"},
            database={"select": {"cgroup": "/system.slice"}, "cpus": "rest", "l3": {"ways": 4}}),
            "lab-intel-2socket", per_cache=12, vendor="intel"), "")


class OthersCount(unittest.TestCase):
    """Monitoring groups of another tool: in the default group before, and in classes that libpqos has made."""

    def test_what_others_count_stays(self):
        found = Through.sim("""
            R=/sys/fs/resctrl; mkdir $R/mon_groups/before; sleep 100 & echo $! > $R/mon_groups/before/tasks; counted=$!
            echo 3 > $R/mon_groups/before/cpus_list
            part apply bh apply examples/gen13/pqos-1.json --yes --actuator pqos-os
            mkdir $R/COS9/mon_groups/waiting $R/COS1/mon_groups/ours; part steps cat $D/state.json; part doctor bh doctor
            part watch bh watch --once --json; part verify bh verify
            part reset bh reset --yes; part counted cat $R/mon_groups/before/tasks $R/mon_groups/before/cpus_list
            echo "#### is"; echo $counted; part left ls -d $R/COS* $R/COS*/mon_groups/*
            part again bh apply examples/gen13/pqos-1.json --yes --actuator pqos-os""")
        self.assertIn("(COS1)\n", found["apply"])
        self.assertEqual(found["counted"], f"{found['is'].strip()}\n3\n#= 0\n")
        self.assertEqual(found["left"], "".join(f"/sys/fs/resctrl/{name}\n" for name in (
            "COS1", "COS1/mon_groups/ours", "COS9", "COS9/mon_groups/waiting")) + "#= 0\n")
        self.assertIn("group COS1 of libpqos stays: somebody else counts in it (mon_groups/ours)", found["reset"])
        self.assertIn("group COS9 of libpqos stays: somebody else counts in it (mon_groups/waiting)", found["reset"])
        self.assertIn("the groups that libpqos had made were removed: COS2, COS3, COS4,", found["reset"])
        self.assertIn("remove group bulkhead.proxy (COS", found["reset"])
        self.assertIn("libpqos takes every CLOSID, and COS1, COS9 hold some", found["again"])
        self.assertRegex(" ".join(found["doctor"].split()), r"CLOSIDs: the default group, bulkhead\.\w+ \(COS1\)")
        self.assertIn("of other tools COS9;", " ".join(found["doctor"].split()))
        groups = [group["group"] for group in json.loads(found["watch"].splitlines()[0])["groups"]]
        self.assertEqual([name for name in groups if "COS" in name], ["COS9", "COS9/mon_groups/waiting"])
        self.assertEqual(status(found["verify"]), 0, found["verify"])


class Refusals(unittest.TestCase):
    APPLY = "part apply bh apply examples/gen13/pqos-1.json --yes --actuator pqos-os"

    def refused(self, script, expected, code, **how):
        found = Through.sim(f"{script}\nstate before\n{self.APPLY}\nstate after", **how)
        self.assertIn(expected, found["apply"])
        self.assertEqual(status(found["apply"]), code, found["apply"])
        self.assertEqual(found["after"], found["before"])

    def test_other_groups(self):
        self.refused("mkdir /sys/fs/resctrl/p1", "libpqos takes every CLOSID, and p1 holds one", 1)
        self.refused("mkdir /sys/fs/resctrl/COS1", "libpqos takes every CLOSID, and COS1 holds one", 1)

    def test_no_resctrl(self):
        self.refused("umount /sys/fs/resctrl", "not mounted", 5)

    def test_more_bandwidth_than_it_knows(self):
        self.refused("", "the machine's unlimited bandwidth is 4096, and libpqos takes values above 2048 for another unit", 5,
                     machine="epyc-9965-nps2", kernel="6.12")

    def test_the_registers_where_resctrl_is_mounted(self):
        found = Through.sim("part apply bh apply examples/gen13/pqos-1.json --yes --actuator pqos-msr")
        self.assertIn("resctrl is mounted on /sys/fs/resctrl, and the kernel overwrites what others write to the registers",
                      found["apply"])
        self.assertEqual(status(found["apply"]), 5)


class Failures(unittest.TestCase):
    def assert_nothing_changes(self, vendor, told, code):
        found = Through.sim("""
            state before; part apply bh apply examples/gen13/pqos-1.json --yes --actuator pqos-os
            state after; part left ls $D; part groups groups""", vendor=vendor)
        self.assertIn(told, found["apply"])
        self.assertEqual(status(found["apply"]), code, found["apply"])
        self.assertEqual(found["after"], found["before"])
        self.assertEqual(found["groups"], "0\n#= 0\n")
        self.assertNotIn("journal", found["left"])

    def test_a_library_that_dies_leaves_the_host_as_it_was(self):
        self.assert_nothing_changes("deadly", "bulkhead: libpqos has failed: while it worked, the process that it ran in ended by "
                                              "signal 6 (Aborted), while doing step 1 of 11", 1)

    def test_so_does_one_that_does_not_know_the_processor(self):
        self.assert_nothing_changes("unknown", "bulkhead: libpqos cannot use its os interface here: generic error. It says: ERROR: "
                                               "init_config: init failed!; ERROR: cpuinfo_init() error -14, while", 1)

    def test_what_the_kernel_refuses_has_the_kernels_words(self):
        control = Through.folder.name + "/control"
        found = Through.sim(f"""
            {SIM} --tell {control} 'fault write *COS1/schemata EINVAL overlaps'
            part apply bh apply examples/gen13/pqos-1.json --yes --actuator pqos-os; part groups groups""", options=("--control", control))
        self.assertIn("libpqos cannot give COS1 the ways fff of L3 0: generic error. It says: ERROR: Invalid file arguments!; "
                      "the kernel says: overlaps, while doing step 3 of 11", found["apply"])
        self.assertEqual(found["groups"], "0\n#= 0\n")

    def test_killed_in_the_midst_it_is_undone(self):
        found = Through.sim("""
            state before
            bh apply examples/gen13/pqos-1.json --yes --actuator pqos-os > /dev/null 2>&1 & job=$!
            until [ -d /sys/fs/resctrl/COS15 ]; do sleep 0.01; done
            kill -9 $(pgrep -x bulkhead | head -1); wait $job; part journal ls $D
            part reset bh reset --yes; state after; part groups groups; part left ls $D""")
        self.assertIn("journal\n", found["journal"])
        self.assertIn("the interrupted apply of pqos-1 was undone", found["reset"])
        self.assertEqual(json.loads(found["after"]), json.loads(found["before"]))
        self.assertEqual(found["groups"], "0\n#= 0\n")
        self.assertNotIn("journal", found["left"])


if __name__ == "__main__":
    main()

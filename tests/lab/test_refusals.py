"""What is refused, by the kernel or by bulkhead before that: the host is as it was, and the message says why."""

import re
import unittest

from bulkhead_lab import SMALL, guest

OWNER = "tests/lab/policies/owner.json"
SHARING = "tests/lab/policies/sharing.json"
UNDONE = "while applying; everything was undone, the host is as before"


class EveryWrite(unittest.TestCase):
    def test_a_refused_call_leaves_the_host_as_before(self):
        # EIO is what no call expects; others, such as EINVAL for a list of threads, have ways around.
        found = guest(f"""
            world
            n=0
            while :; do
                n=$((n + 1))
                status=0
                with_fault -5 $n apply --yes {OWNER} || status=$?
                [ $status -ne 0 ] || break
                part "$n said"
                grep '^bulkhead: ' /run/said
                echo "#= $status"
                part "$n left" ls /run/bulkhead
                state > /run/state-after
                part "$n changed" compare before after
                bulkhead reset --yes > /dev/null 2>&1
            done
            part rounds echo $((n - 1))
        """, SMALL)
        rounds = int(found["rounds"].text)
        self.assertGreaterEqual(rounds, 35)
        kernel = 0
        for n in range(1, rounds + 1):
            with self.subTest(refused_call=n):
                said = found[f"{n} said"].lines[-1]
                self.assertEqual(found[f"{n} said"].status, 1)
                self.assertRegex(said, r"\(/[\w./-]+: Input/output error[;)]")
                if re.search(r"\(/sys/", said):
                    kernel += 1
                    self.assertTrue(said.endswith(UNDONE), said)
                    self.assertRegex(said, r"while doing step \d+ of \d+ \(")
                # The last call is the removal of the journal: the policy is in force then.
                if n < rounds:
                    self.assertEqual(found[f"{n} changed"].text, "")
                self.assertNotIn("state.json\n" if n < rounds else "journal.new", found[f"{n} left"].text)
        self.assertGreaterEqual(kernel, 30)


class OtherPrograms(unittest.TestCase):
    def test_groups_of_others_stand_in_the_way(self):
        found = guest(f"""
            world
            echo $(pidof proxy) > $R/theirs/tasks
            bh "thread elsewhere" apply --yes {SHARING}
            echo $(pidof proxy) > $R/tasks
            mount -o remount,ro $R
            bh "read-only" apply --yes {OWNER}
            mount -o remount,rw $R
            echo 0 > /sys/devices/system/cpu/cpu5/online
            bh offline apply --yes {SHARING}
            echo 1 > /sys/devices/system/cpu/cpu5/online
            i=0
            while mkdir $R/p$i 2> /dev/null; do i=$((i + 1)); done
            bh "no CLOSID" apply --yes {OWNER}
            rmdir $R/p*
            save after
            part changed compare before after
            part left left_over
        """, SMALL)
        said = found["thread elsewhere"]
        self.assertRegex(said.text, r"^bulkhead: thread \d+ of service 'proxy' is in resctrl group 'theirs', which is "
                         r"not ours and is never touched: whoever made it must let the thread go, or the policy must "
                         r"not select it\n$")
        self.assertEqual(said.status, 1)
        said = found["read-only"]
        self.assertEqual((said.status, said.text),
                         (5, "bulkhead: resctrl is mounted read-only on /sys/fs/resctrl: allow changes with "
                             "'mount -o remount,rw /sys/fs/resctrl'\n"))
        said = found["offline"]
        self.assertEqual((said.status, said.text),
                         (3, f"bulkhead: {SHARING}:6:66: database wants CPU 5, which is offline; online are CPUs "
                             "0-4,6-7\n"))
        said = found["no CLOSID"]
        self.assertEqual(said.status, 3)
        self.assertIn("this host has 16 CLOSIDs, one is the default group's", said.text)
        self.assertEqual(found["changed"].text, "")
        self.assertEqual(found["left"].text, "")

    def test_no_rmid_is_clean(self):
        found = guest("""
            service proxy /proxy.slice/proxy.service 2
            for i in 1 2 3 4 5 6 7; do
                mkdir $R/mon_groups/m$i
                rdt-counter set 0 llc_occupancy $i 100000 0
            done
            rmdir $R/mon_groups/m*
            bh apply apply --yes examples/gen13/no-isolation.json
            part left left_over
        """, "few-closids")
        self.assertEqual(found["apply"].status, 1)
        self.assertEqual(
            [line for line in found["apply"].lines if line.startswith("bulkhead: ")],
            ["bulkhead: cannot make the directory: of 8 RMIDs all free ones still count cache lines of groups removed before "
             "(limbo), and after 6 attempts none is clean: wait, remove monitoring groups, or raise "
             "info/L3_MON/max_threshold_occupancy (/sys/fs/resctrl/mon_groups/bulkhead.proxy: Device or resource busy; "
             "the kernel says: Out of RMIDs), while doing step 1 of 2 (make group mon_groups/bulkhead.proxy), "
             + UNDONE])
        self.assertEqual(found["left"].text, "")


class MissingFeatures(unittest.TestCase):
    """(host, policy, status, message)"""
    CASES = [
        ("cat-only", "examples/bulk-throttled.json",
         "11:20: bulk wants 8 GB/s of memory bandwidth, which this machine cannot limit: resctrl allocates L3 only"),
        ("mba-only", "examples/bulk-throttled.json",
         "10:13: bulk wants 2 ways of the L3, which this machine cannot allocate: resctrl allocates memory bandwidth "
         "only"),
        ("mon-only", "examples/bulk-throttled.json",
         "10:13: bulk wants 2 ways of the L3, which this machine cannot allocate: resctrl only monitors"),
        ("l2-only", "examples/bulk-throttled.json",
         "10:13: bulk wants 2 ways of the L3, which this machine cannot allocate: resctrl allocates L2 only"),
        ("no-rdt", OWNER,
         "8:40: proxy wants 75% of the L3, which this machine cannot allocate: resctrl is not there; `bulkhead doctor` "
         "says whether the processor lacks it or it is not mounted; this processor has no cache or bandwidth control "
         "(its flags in cpuinfo lack rdt_a, cat_l3, mba and cqm): cpusets can still be used; in a virtual machine the "
         "hypervisor hides the feature"),
    ]

    def test_what_the_host_lacks_is_named(self):
        for host, policy, message in self.CASES:
            with self.subTest(host=host):
                found = guest(f"save before; bh apply apply --yes {policy}; save after\n"
                              "part changed compare before after; part left echo /run/bulkhead*", host)
                self.assertEqual((found["apply"].status, found["apply"].text), (5, f"bulkhead: {policy}:{message}\n"))
                self.assertEqual(found["changed"].text, "")
                self.assertEqual(found["left"].text, "/run/bulkhead*\n")

    def test_too_few_classes_of_service(self):
        found = guest("bh apply apply --yes examples/containers-by-cgroup.json", "few-closids-foreign")["apply"]
        self.assertEqual((found.status, found.text), (
            3, "bulkhead: examples/containers-by-cgroup.json:16:5: shop needs control group 2 of the 2 of this policy, "
            "but only 1 is free: this host has 4 CLOSIDs, one is the default group's, the foreign groups 'database' "
            "and 'p1' hold one each; the same l3 and bandwidth for reports, backup and shop would fit\n"))

    def test_not_mounted(self):
        found = guest(f"bh doctor doctor; bh apply apply --yes {OWNER}; bh mount apply --mount --yes {OWNER}\n"
                      "bh verify verify", SMALL, options=["--no-mount"])
        self.assertEqual(found["doctor"].status, 5)
        self.assertIn("problem  resctrl is not mounted\n"
                      "         > run 'mount -t resctrl resctrl /sys/fs/resctrl', or let bulkhead do it with --mount\n",
                      found["doctor"].text)
        self.assertEqual(found["apply"].status, 5)
        self.assertTrue(found["apply"].text.endswith(
            "resctrl is not mounted: run 'mount -t resctrl resctrl /sys/fs/resctrl', or let bulkhead do it with "
            "--mount\n"), found["apply"].text)
        self.assertEqual((found["mount"].status, found["verify"].status), (0, 0), found["mount"].text)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""bulkheadd on hosts whose programs, CPUs, mounts and other people change.

    hosts_test.py FOLDER-OF-PROGRAMS [CLASS[.TEST]...]
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from simulated_daemon import (CGROUP, RESCTRL, DaemonTest, eventually, policy, run_on_simulated_hosts, tell_host, threads_of, write_mask)

ALONE = {"proxy": {"select": {"cgroup": "/proxy"}, "cpus": {"nodes": "0"}, "exclusive_cpus": True, "l3": "75%"},
         "rest": {"select": "others", "cpus": "rest"}}


class Programs(DaemonTest):
    """The simulator has no events of programs that start: then a sweep of a second finds them."""

    def test_services_are_found_by_what_they_run(self):
        self.start()
        watcher = self.api()
        watcher.subscribe()
        watcher.call("policy.apply", text=policy(
            named={"select": {"comm": "sleep"}, "l3": "50%"}, program={"select": {"exe": "/usr/bin/tail"}, "l3": "25%"}))
        self.settle()
        sleeper, tail = self.person("sleep", "1000"), self.person("tail", "-f", "/dev/null")
        eventually(lambda: threads_of("bulkhead.named") == {sleeper.pid}, "the named one is in its group")
        eventually(lambda: threads_of("bulkhead.program") == {tail.pid}, "the program is in its group")
        self.assertEqual({watcher.event("service.found")["service"] for _ in range(2)}, {"named", "program"})


class Hosts(DaemonTest):
    config = {"sweep": "300ms"}  # from outside of the simulated kernel come no events

    def setUp(self):
        super().setUp()
        self.person(cgroup="proxy")
        self.start()
        self.watcher = self.api()
        self.watcher.subscribe()

    def holds(self):
        return self.watcher.call("state.verify")["holds"]

    def test_cpus_come_and_go_and_nobody_is_blamed(self):
        self.watcher.call("policy.apply", text=policy(**ALONE))
        blamed = self.api()
        blamed.subscribe("drift.found", "drift.repaired", "drift.left", "reconcile.failed")
        self.assertTrue(self.holds())
        tell_host("offline 3")
        self.addCleanup(tell_host, "online 3")
        self.assertEqual(self.watcher.event("host.changed"), {"before": "0-23", "after": "0-2,4-23"})
        eventually(self.holds, "the policy is in force on the CPUs that are left")
        self.assertEqual((RESCTRL / "bulkhead.proxy/cpus_list").read_text(), "0-2,4-11\n")
        tell_host("online 3")
        self.assertEqual(self.watcher.event("host.changed"), {"before": "0-2,4-23", "after": "0-23"})
        eventually(self.holds, "the policy is in force on all CPUs")
        self.assertEqual((RESCTRL / "bulkhead.proxy/cpus_list").read_text(), "0-11\n")
        self.assertEqual(blamed.kinds_so_far(), [])
        write_mask("bulkhead.proxy", "L3:1=f")  # and that is the first strike
        blamed.event("drift.repaired")

    def test_what_others_claim_is_left_to_them_and_all_else_is_kept(self):
        self.watcher.call("policy.apply", text=policy(**ALONE))
        pinned = CGROUP / "pinned"
        pinned.mkdir()
        self.made.append("pinned")
        (pinned / "cpuset.cpus").write_text("0-3")
        found = self.watcher.event("drift.found")["findings"]
        self.assertEqual([(one["kind"], one["message"]) for one in found],
                         [("contested", "a part of it is somebody else's now, and is left to them: cgroup /pinned is confined to "
                           "CPUs 0-3, which are proxy's alone, by another program: let it have some of 12-23, which "
                           "others have, or remove its cpuset.cpus")])
        (CGROUP / "proxy/cpuset.cpus").write_text("0-5")
        self.watcher.event("drift.repaired")
        self.assertEqual((CGROUP / "proxy/cpuset.cpus").read_text(), "0-11\n")
        self.assertEqual((pinned / "cpuset.cpus").read_text(), "0-3\n")

    def test_resctrl_is_unmounted_and_mounted_by_somebody(self):
        self.watcher.call("policy.apply", text=policy())
        subprocess.run(["umount", "-l", RESCTRL], check=True)  # it is in use
        findings = []
        while [finding["kind"] for finding in findings] != ["plan"]:  # a look in the midst of it finds groups gone
            findings = self.watcher.event("drift.found")["findings"]
        self.assertIn("not mounted", findings[0]["message"])
        self.assertFalse(self.holds())
        subprocess.run(["mount", "-t", "resctrl", "resctrl", RESCTRL], check=True)
        eventually(lambda: (RESCTRL / "bulkhead.proxy").exists() and self.holds(), "the policy is in force again", 30)


if __name__ == "__main__":
    run_on_simulated_hosts(__name__)

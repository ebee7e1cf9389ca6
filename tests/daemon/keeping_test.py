#!/usr/bin/python3
"""bulkheadd keeps a policy in force while others change this and that.

    keeping_test.py FOLDER-OF-PROGRAMS [CLASS[.TEST]...]
"""

import os
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from simulated_daemon import (CGROUP, RESCTRL, DaemonTest, eventually, host_state, masks, policy, run_on_simulated_hosts, threads_of,
                              write_mask)


class Keeping(DaemonTest):
    """Nothing but events tells the daemon to look: the next sweep is an hour away."""

    def setUp(self):
        super().setUp()
        self.start()

    def in_force(self, text=policy()):
        """The policy is, and all that follows from it has been seen."""
        watcher = self.api()
        watcher.subscribe()
        looks = self.looks()
        watcher.call("policy.apply", text=text)
        self.settle(looks)
        watcher.kinds_so_far()
        return watcher

    def test_what_others_change_is_mended_and_told_with_before_and_after(self):
        self.person(cgroup="proxy")
        watcher = self.in_force()
        write_mask("bulkhead.proxy", "L3:1=f")
        self.assertEqual(watcher.event("drift.found"), {"findings": [
            {"kind": "mask", "service": "proxy", "ccd": 1, "expected": "ff", "observed": "f",
             "message": "L3 mask of group bulkhead.proxy on CCD 1: expected ff, found f"}]})
        self.assertEqual(watcher.event("drift.repaired"), {"steps": [
            {"kind": "write_schemata", "target": "bulkhead.proxy", "text": "L3:1=ff\n", "before": "L3:1=f\n",
             "description": "bulkhead.proxy: schemata L3:1=ff (was L3:1=f)"}]})
        self.assertEqual(masks("bulkhead.proxy")["1"], "00ff")
        self.assertEqual(watcher.call("state.verify")["holds"], True)
        self.assertEqual(watcher.call("policy.active")["generation"], 1)  # a repair is none
        self.assertEqual([(line["action"], line["uid"], line["steps"]) for line in self.audit()],
                         [("policy.apply", 0, 7), ("repair", None, 1)])

    def test_whatever_kind_it_is(self):
        person = self.person(cgroup="proxy")
        watcher = self.in_force()
        for kind, change in (("group", lambda: os.rmdir(RESCTRL / "bulkhead.bulk")),
                             ("cpuset", lambda: (CGROUP / "proxy/cpuset.cpus").write_text("0-3")),
                             ("thread_group", lambda: (RESCTRL / "tasks").write_text(str(person.pid)))):
            with self.subTest(kind):
                change()
                self.assertIn(kind, [finding["kind"] for finding in watcher.event("drift.found")["findings"]])
                watcher.event("drift.repaired")
                self.assertEqual(watcher.call("state.verify")["findings"], [])
        self.assertEqual((CGROUP / "proxy/cpuset.cpus").read_text(), "0-7\n")
        self.assertEqual(threads_of("bulkhead.proxy"), {person.pid})

    def test_other_peoples_groups_are_not_its_business(self):
        self.person(cgroup="proxy")
        watcher = self.in_force()
        os.mkdir(RESCTRL / "theirs")
        write_mask("theirs", "L3:0=8000")
        time.sleep(0.6)
        write_mask("theirs", "L3:0=c000")
        time.sleep(0.6)
        self.assertEqual(watcher.kinds_so_far(), [])
        self.assertEqual(masks("theirs")["0"], "c000")
        os.rmdir(RESCTRL / "theirs")

    def test_new_processes_of_a_service_are_in_its_group(self):
        first = self.person(cgroup="proxy")
        watcher = self.in_force()
        second = self.person(cgroup="proxy")
        eventually(lambda: threads_of("bulkhead.proxy") == {first.pid, second.pid}, "the new process is in the group")
        self.assertEqual(watcher.kinds_so_far(), [])  # who comes has changed nothing

    def test_services_come_and_go(self):
        watcher = self.in_force()
        person = self.person(cgroup="proxy")
        self.assertEqual(watcher.event("service.found"), {"service": "proxy"})
        eventually(lambda: threads_of("bulkhead.proxy") == {person.pid}, "it is in its group")
        self.gone(person, "proxy")
        self.assertEqual(watcher.event("service.waiting"), {"service": "proxy"})
        again = self.person(cgroup="proxy")
        self.assertEqual(watcher.event("service.found"), {"service": "proxy"})
        eventually(lambda: threads_of("bulkhead.proxy") == {again.pid}, "it is in its group again")
        eventually(lambda: (CGROUP / "proxy/cpuset.cpus").read_text() == "0-7\n", "and on its CPUs")
        self.assertNotIn("drift.found", watcher.kinds_so_far())

    def test_so_do_those_that_a_pattern_selects_below(self):
        watcher = self.in_force(policy(web={"select": {"cgroup": "/web/p*"}, "l3": "50%"}))
        person = self.person(cgroup="web/proxy")
        self.assertEqual(watcher.event("service.found"), {"service": "web"})
        eventually(lambda: threads_of("bulkhead.web") == {person.pid}, "it is in its group")

    def test_two_controllers_do_not_fight_for_ever_and_threads_are_followed_all_the_same(self):
        self.person(cgroup="proxy")
        watcher = self.in_force()
        ended = threading.Event()

        def fight():
            while not ended.wait(0.3):
                if masks("bulkhead.proxy")["0"] == "00ff":
                    write_mask("bulkhead.proxy", "L3:0=1")

        other = threading.Thread(target=fight)
        other.start()
        try:
            time.sleep(4)
            late = self.person(cgroup="proxy")
            eventually(lambda: late.pid in threads_of("bulkhead.proxy"), "the new process is in the group")
        finally:
            ended.set()
            other.join()
        repairs = watcher.kinds_so_far().count("drift.repaired")
        self.assertIn(repairs, range(1, 6))  # at once, again, and after 1, 2 and 4 seconds; a busy machine makes it fewer
        eventually(lambda: masks("bulkhead.proxy")["0"] == "00ff", "it is mended when the other one has gone", 40)

    def test_processes_are_attached_and_detached(self):
        watcher = self.in_force(policy(jobs={"select": {"pids": []}, "l3": "50%"}))
        person = self.person()
        watcher.call("service.attach", service="jobs", pids=[person.pid])
        self.assertEqual(watcher.event("service.attached"), {"service": "jobs", "pids": [person.pid]})
        self.assertEqual(threads_of("bulkhead.jobs"), {person.pid})
        self.assertEqual(watcher.call("policy.active")["attached"], {"jobs": [person.pid]})
        watcher.call("service.detach", service="jobs", pids=[person.pid])
        self.assertEqual(threads_of("bulkhead.jobs"), set())
        self.assertEqual([line["action"] for line in self.audit()], ["policy.apply", "service.attach", "service.detach"])

    def test_what_was_changed_is_known_at_once(self):
        api = self.api()
        for generation in range(1, 4):
            api.call("policy.apply", text=policy(f"policy-{generation}"), if_generation=generation - 1)
            self.assertEqual(api.call("policy.active")["policy"], f"policy-{generation}")
            self.assertEqual(api.call("state.status")["generation"], generation)
        api.call("policy.reset", if_generation=3)
        self.assertEqual(api.call("policy.active"), {"policy": None, "generation": 4})
        self.assertEqual(host_state(), self.before)

    def test_who_counts_on_another_generation_changes_nothing(self):
        api = self.api()
        api.call("policy.apply", text=policy())
        before = host_state()
        error = api.answer("policy.apply", text=policy("other"), if_generation=0)["error"]
        self.assertEqual((error["data"]["code"], error["message"]),
                         ("conflict", "the generation is 1, not 0 as expected: the policy was changed meanwhile"))
        self.assertEqual(host_state(), before)
        self.assertEqual(self.audit()[-1]["refused"], error["message"])
        self.assertEqual((self.audit()[-1]["from"], self.audit()[-1]["to"]), (1, 1))

    def test_bulkhead_goes_through_it(self):
        (self.folder / "policy.json").write_text(policy())
        said = self.bulkhead("apply", "--yes", self.folder / "policy.json")
        self.assertIn("halves is in force: 4 steps, generation 1\n", said.stdout, said.stderr)
        self.assertEqual(self.bulkhead("verify").returncode, 0)
        self.assertEqual(self.bulkhead("reset", "--yes").returncode, 0)
        self.assertEqual(host_state(), self.before)
        lines = self.audit()
        self.assertEqual([(line["action"], line["uid"], line["policy"], line["from"], line["to"]) for line in lines],
                         [("policy.apply", 0, "halves", 0, 1), ("policy.reset", 0, None, 1, 2)])
        self.assertNotIn(self.daemon.pid, [line["pid"] for line in lines])


class Reporting(DaemonTest):
    config = {"sweep": "60m", "on_drift": "report"}

    def test_drift_is_told_and_stays_and_threads_are_followed(self):
        self.person(cgroup="proxy")
        self.start()
        watcher = self.api()
        watcher.subscribe()
        watcher.call("policy.apply", text=policy())
        self.settle()
        write_mask("bulkhead.proxy", "L3:1=f")
        self.assertEqual(watcher.event("drift.found")["findings"][0]["observed"], "f")
        late = self.person(cgroup="proxy")
        eventually(lambda: late.pid in threads_of("bulkhead.proxy"), "the new process is in the group")
        self.assertEqual(masks("bulkhead.proxy")["1"], "000f")
        self.assertEqual(watcher.call("state.status", fresh=True)["drift"], 1)
        self.assertEqual(watcher.kinds_so_far(), [])  # it was told once

    def test_what_comes_and_begins_anew_gets_its_cpus_all_the_same(self):
        first = self.person(cgroup="proxy")
        self.person(cgroup="system/db")
        self.start()
        watcher = self.api()
        watcher.subscribe()
        watcher.call("policy.apply", text=policy(proxy={"select": {"cgroup": "/proxy"}, "cpus": {"nodes": "0"}, "exclusive_cpus": True},
                                                 others={"select": "others", "cpus": "rest"}))
        self.settle()
        watcher.kinds_so_far()

        def cpus(cgroup):
            return (CGROUP / cgroup / "cpuset.cpus").read_text()

        self.gone(first, "proxy")
        self.person(cgroup="proxy")
        eventually(lambda: cpus("proxy") == "0-11\n", "the service that was restarted has its CPUs")
        self.person(cgroup="newcomer")
        eventually(lambda: cpus("newcomer") == "12-23\n", "a new cgroup is kept off them")
        self.assertEqual(watcher.call("state.verify")["findings"], [])
        self.assertNotIn("drift.found", watcher.kinds_so_far())


if __name__ == "__main__":
    run_on_simulated_hosts(__name__)

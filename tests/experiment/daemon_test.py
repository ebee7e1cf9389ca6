#!/usr/bin/python3
"""Experiments that the daemon runs: what they bring, who may not disturb them, who may stop them.

    daemon_test.py FOLDER-OF-PROGRAMS [CLASS[.TEST]...]
"""

import json
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from experiment_on_host import ALIKE, BEFORE, POLICIES, DaemonRuns
from simulated_daemon import PATIENCE, PROGRAMS, ROOT, eventually, host_state, policy, run_on_simulated_hosts


class WithDaemon(DaemonRuns):
    def test_one_from_its_start_to_a_verdict(self):
        self.watcher.call("policy.apply", text=BEFORE, name="before.json")
        self.settle()
        before = host_state()
        self.watcher.subscribe("experiment.window", "experiment.block", "experiment.ended")
        started = self.watcher.call("experiment.start", **self.order())
        self.assertEqual((started["experiment"], started["state"], started["file"], started["uid"]), ("try", "running", "try.json", 0))
        window = self.watcher.event("experiment.window")
        self.assertEqual((window["experiment"], window["block"], window["place"], window["no_data"]), ("try", 1, 0, {}))
        self.assertEqual(set(window["metrics"]), {"throughput", "latency"})
        self.assertEqual(window["metrics"]["latency"], 5)
        block = self.watcher.event("experiment.block")
        self.assertEqual((block["block"], block["candidate"], block["dropped"], block["verdict"]), (1, "fast", None, "open"))
        ended = self.watcher.event("experiment.ended")
        self.assertEqual((ended["experiment"], ended["ended_by"]), ("try", "verdict"))
        self.assertEqual(self.watcher.call("experiment.status"), {"experiment": None})
        result = self.watcher.call("experiment.result")
        self.assertEqual([candidate["verdict"] for candidate in result["candidates"]], ["adopt"])
        self.assertEqual(result["verdict"], ended["verdict"])
        self.assertEqual(self.watcher.call("policy.active")["policy"], "before")
        self.assertEqual(host_state(), before)
        actions = [(line["action"], line["policy"], line["uid"]) for line in self.audit()]
        self.assertEqual(actions[:2], [("policy.apply", "before", 0), ("experiment.start", "try", 0)])
        self.assertEqual(actions[-1], ("experiment.restore", "before", 0))
        self.assertEqual({action for action, _, _ in actions[2:-1]}, {"experiment.arm"})
        self.assert_nobody_runs()
        self.stop()
        self.start()
        self.assertEqual(self.api().call("experiment.result"), result)  # it outlives the daemon

    def test_nobody_disturbs_it_and_it_can_be_stopped(self):
        self.watcher.call("policy.apply", text=BEFORE)
        self.watcher.call("experiment.start", **self.order(**self.endless()))
        other = self.api()
        for method, params in (("policy.apply", {"text": BEFORE}), ("policy.reset", {}), ("experiment.start", self.order())):
            refused = other.answer(method, **params)["error"]
            self.assertEqual(refused["code"], -32007)
            self.assertIn("the experiment try has this host until it ends", refused["message"])
        eventually(lambda: other.call("policy.active")["policy"] in ("slow", "fast"), "an arm is in force")
        self.assertEqual(other.call("experiment.stop"), {"experiment": "try", "ended_by": "stopped"})
        self.assertEqual(other.call("policy.active")["policy"], "before")
        self.assertEqual(other.answer("experiment.stop")["error"]["message"], "no experiment runs")
        self.assert_left()
        other.call("policy.apply", text=BEFORE)  # again anybody may

    def test_bulkhead_runs_it_through_the_daemon(self):
        done = self.bulkhead("experiment", "run", "--yes", self.write(), "--output", str(self.folder))
        self.assertEqual((done.returncode, re.sub("bulkhead: (block .* left|experiment try)\n", "", done.stderr)), (0, ""), done.stdout)
        self.assertIn(f"report: {self.folder}/try.report.html\n", done.stdout)
        self.assertEqual(self.run_result(), self.watcher.call("experiment.result"))
        self.assertEqual(self.run_result()["candidates"][0]["verdict"], "adopt")

    def test_bulkhead_searches_through_the_daemon(self):
        (self.folder / "fast.json").write_text(policy("fast", fast={**ALIKE, "cpus": {"count": {"ccds": 2}}}))
        search = {"policy": "fast.json", "service": "fast", "ccds": [1, 2, 4], "ways": [4, 8, 12], "evaluations": 7,
                  "latency": {"metric": "latency", "limit": 50}}
        file = self.write(arms={"slow": {"policy": "slow.json"}}, search=search)
        wrong = self.bulkhead("experiment", "run", "--yes", file)
        self.assertEqual((wrong.returncode, wrong.stderr.splitlines()[0]),
                         (2, "bulkhead: try has a search: bulkhead experiment search"))
        self.watcher.call("policy.apply", text=BEFORE)
        self.settle()
        before = host_state()
        done = self.bulkhead("experiment", "search", "--yes", file, "--output", str(self.folder))
        self.assertEqual((done.returncode, re.sub("bulkhead: ((search|block) .* left|experiment try)\n", "", done.stderr)), (0, ""),
                         done.stdout)
        result = self.run_result()
        self.assertEqual(len(result["search"]["evaluations"]), 7)
        self.assertEqual([(one["arm"], one["verdict"]) for one in result["candidates"]], [("best found", "adopt")])
        found = json.loads((self.folder / "try.policy.json").read_text())
        self.assertEqual(found["summary"], "fast: " + result["search"]["found"])
        self.assertIn(f"policy: {self.folder}/try.policy.json\n", done.stdout)
        self.assertEqual(host_state(), before)
        self.assertEqual(self.bulkhead("apply", "--yes", str(self.folder / "try.policy.json")).returncode, 0)
        self.assert_nobody_runs()

    def test_a_signal_to_bulkhead_stops_it(self):
        runner = subprocess.Popen([PROGRAMS / "bulkhead", "experiment", "run", "--yes", self.write(**self.endless()), "--output",
                                   self.folder, "--runtime-dir", self.run], stdout=subprocess.DEVNULL, cwd=ROOT)
        eventually(lambda: self.watcher.call("experiment.status").get("block"), "it runs")
        told = self.bulkhead("experiment", "status")
        self.assertEqual((told.returncode, told.stdout.split(",")[0]), (0, "try runs"))
        runner.send_signal(signal.SIGINT)
        self.assertEqual(runner.wait(PATIENCE), -signal.SIGINT)
        self.assertEqual(self.watcher.call("experiment.status"), {"experiment": None})
        self.assertEqual(self.watcher.call("policy.active")["policy"], None)
        self.assertEqual(self.run_result()["ended_by"], "stopped")

    def test_there_is_no_verdict_before_the_first_block_has_ended(self):
        self.watcher.call("experiment.start", **self.order(window="10m"))
        result = self.watcher.call("experiment.result")
        self.assertEqual((result["verdict"], result["ended"], result["candidates"]), (None, "", []))
        self.watcher.call("experiment.stop")
        self.assertIn("no verdict yet", self.watcher.call("experiment.result")["verdict"])

    def test_what_makes_no_sense_is_told_for_an_experiment(self):
        refused = self.watcher.answer("experiment.start", text="", policies={})["error"]
        self.assertIn('the file holds nothing: an experiment is {"experiment": 1, ', refused["message"])
        refused = self.watcher.answer("experiment.start", **{**self.order(), "folder": "/nope"})["error"]
        self.assertEqual(refused["message"], '"folder" is no folder that is there: "/nope"')

    def test_one_that_cannot_be_had_changes_nothing(self):
        before = host_state()
        order = self.order()
        order["policies"] = {**POLICIES, "fast.json": policy("fast", fast={**ALIKE, "cpus": {"ccds": "40"}})}
        refused = self.watcher.answer("experiment.start", **order)["error"]
        self.assertEqual((refused["code"], refused["data"]["context"]), (-32003, ["planning arm fast"]))
        self.assertEqual(self.watcher.call("experiment.status"), {"experiment": None})
        self.assertEqual(self.watcher.answer("experiment.result")["error"]["message"], "no experiment has run here")
        self.assertEqual(host_state(), before)


if __name__ == "__main__":
    run_on_simulated_hosts(__name__)

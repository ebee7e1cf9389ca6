#!/usr/bin/python3
"""Experiments whose daemon ends or is killed: what is in force then, and which go on.

    interrupted_test.py FOLDER-OF-PROGRAMS [CLASS[.TEST]...]

With EVERY_PHASE in the environment runners are killed at many more moments.
"""

import json
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from experiment_on_host import BEFORE, KILLS, LAST_KILL, DaemonRuns
from simulated_daemon import eventually, host_state, run_on_simulated_hosts


class Interrupted(DaemonRuns):
    def test_the_end_of_the_daemon_ends_it(self):
        self.watcher.call("policy.apply", text=BEFORE)
        self.settle()
        before = host_state()
        self.watcher.call("experiment.start", **self.order(**self.endless()))
        eventually(lambda: self.steps(), "the candidate was in force")
        self.stop()
        self.assertEqual(host_state(), before)
        self.assert_nobody_runs()
        self.assert_left()

    def test_what_may_be_resumed_goes_on_after_the_end_of_the_daemon_and_after_a_kill(self):
        self.watcher.call("policy.apply", text=BEFORE)
        self.settle()
        before = host_state()
        self.watcher.subscribe("experiment.block")
        self.watcher.call("experiment.start", **self.order(on_restart="resume", blocks={"least": 8, "most": 8}))
        self.watcher.event("experiment.block")
        self.stop()
        self.assertEqual(host_state(), before)
        self.start()
        watcher = self.api()
        eventually(lambda: watcher.call("experiment.status").get("block", 0) >= 3, "it has gone on")
        self.stop(signal.SIGKILL)
        self.start()
        watcher = self.api()
        eventually(lambda: watcher.call("experiment.status") == {"experiment": None}, "it has ended")
        result = watcher.call("experiment.result")
        self.assertEqual([block["number"] for block in result["blocks"]], list(range(1, 9)))
        self.assertEqual([remark["text"] for remark in result["remarks"]], ["the experiment was interrupted here, and goes on"] * 2)
        whole = json.loads(self.bulkhead("experiment", "run", "--yes", "--json", self.write(blocks={"least": 8, "most": 8}), "--output",
                                         str(self.folder)).stdout)
        self.assertEqual([block["order"] for block in result["blocks"]], [block["order"] for block in whole["blocks"]])
        self.assertEqual(host_state(), before)
        self.assert_left()

    def test_a_killed_one_is_ended_by_the_next_daemon(self):
        for (method, params), kills in zip((("policy.apply", {"text": BEFORE}), ("policy.reset", {})), KILLS):
            self.api().call(method, **params)
            self.settle()
            before = host_state()
            for turn in range(kills):
                with self.subTest(turn=turn):
                    api = self.api()
                    api.call("experiment.start", **self.order(**self.endless()))
                    time.sleep(LAST_KILL * turn / kills)
                    self.stop(signal.SIGKILL)
                    self.start()
                    eventually(lambda: not (self.run / "experiment.json").exists(), "the next daemon has ended it")
                    self.assertEqual(host_state(), before)
                    self.assertEqual(self.api().call("experiment.result")["ended_by"], "stopped")
                    self.assert_left()

    def test_what_does_not_return_is_told_and_tried_again(self):
        self.watcher.call("policy.apply", text=BEFORE)
        self.watcher.call("experiment.start", **self.order(**self.endless()))
        eventually(lambda: self.steps(), "the candidate was in force")
        self.stop(signal.SIGKILL)
        record = self.run / "experiment.json"
        whole = record.read_text()
        record.write_text("{")
        self.start()
        watcher = self.api()
        trouble = "an experiment was running, but its record makes no sense: what was in force before it is not known"
        eventually(lambda: trouble in watcher.call("state.status", fresh=True).get("trouble", ""), "the trouble is told")
        self.assertIn(trouble, watcher.answer("policy.apply", text=BEFORE)["error"]["message"])
        record.write_text(whole)
        eventually(lambda: not record.exists(), "it is tried again")
        eventually(lambda: "trouble" not in watcher.call("state.status", fresh=True), "the trouble is over")
        self.assertEqual(watcher.call("policy.active")["policy"], "before")


if __name__ == "__main__":
    run_on_simulated_hosts(__name__)

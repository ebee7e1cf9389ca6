#!/usr/bin/python3
"""Experiments that bulkhead runs by itself: what they bring, and what is in force when they have ended, however that came about.

    program_test.py FOLDER-OF-PROGRAMS [CLASS[.TEST]...]

With EVERY_PHASE in the environment runners are killed at many more moments.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from experiment_on_host import KILLS, LAST_KILL, ExperimentTest
from simulated_daemon import PATIENCE, PROGRAMS, RESCTRL, ROOT, eventually, host_state, run_on_simulated_hosts


class WithoutDaemon(ExperimentTest):
    def test_one_from_a_file_to_a_verdict(self):
        self.in_force_before()
        before = host_state()
        done = self.bulkhead("experiment", "run", "--yes", self.write(), "--output", str(self.folder))
        self.assertEqual((done.returncode, re.sub("bulkhead: (block .* left|experiment try)\n", "", done.stderr)), (0, ""), done.stdout)
        self.assertIn(f"report: {self.folder}/try.report.html\n", done.stdout)
        self.assertEqual([(self.folder / f"try.{kind}").stat().st_mode & 0o777 for kind in ("report.html", "result.json")], [0o644] * 2)
        self.assertEqual([candidate["verdict"] for candidate in self.run_result()["candidates"]], ["adopt"])
        self.assertEqual(host_state(), before)
        self.assertEqual(self.steps().count("in"), self.steps().count("out"))
        self.assert_nobody_runs()

    def test_what_is_in_force_is_nobody_elses_business_meanwhile(self):
        runner = self.begin()
        for verb in (["reset", "--yes"], ["apply", "--yes", str(self.folder / "before.json")],
                     ["experiment", "run", "--yes", self.write()], ["experiment", "stop"]):
            refused = self.bulkhead(*verb)
            self.assertEqual(refused.returncode, 1)
            # There may be a note before it that an arm is just being entered.
            self.assertIn("bulkhead: the experiment try has this host until it ends: wait, or end it first", refused.stderr.splitlines())
        told = json.loads(self.bulkhead("experiment", "status", "--json").stdout)
        self.assertEqual((told["experiment"], told["file"]), ("try", str(self.folder / "try.json")))
        runner.send_signal(signal.SIGINT)
        self.assertEqual(runner.wait(PATIENCE), -signal.SIGINT)  # once all is as before
        self.assert_nobody_runs()
        self.assert_left()
        self.assertEqual(json.loads(self.bulkhead("experiment", "status", "--json").stdout), {"experiment": None})
        self.assertEqual(self.bulkhead("experiment", "stop").stderr, "bulkhead: no experiment runs\n")

    def begin(self, **more):
        """A runner, in its first windows; it would run for minutes unless told otherwise."""
        runner = subprocess.Popen([PROGRAMS / "bulkhead", "experiment", "run", "--yes", self.write(**(more or self.endless())), "--output",
                                   self.folder, "--runtime-dir", self.run], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  cwd=ROOT)
        self.addCleanup(runner.kill)
        eventually(lambda: (RESCTRL / "bulkhead.fast").exists() or (RESCTRL / "bulkhead.slow").exists(), "an arm is in force")
        return runner

    def test_a_killed_one_is_ended_by_the_next_program(self):
        for prepare, kills in zip((self.in_force_before, lambda: self.bulkhead("reset", "--yes")), KILLS):
            prepare()
            before = host_state()
            for turn in range(kills):
                with self.subTest(turn=turn):
                    runner = self.begin()
                    time.sleep(LAST_KILL * turn / kills)
                    runner.kill()
                    runner.wait()
                    told = self.bulkhead("experiment", "status")
                    self.assertEqual((told.stdout, told.stderr.splitlines()[-1]), (
                        "no experiment runs\n", "bulkhead: the interrupted experiment try was ended: what was in force before "
                        "it is in force again"))
                    self.assertEqual(host_state(), before)
                    self.assert_nobody_runs()
                    self.assert_left()

    def lies(self, behave):
        """The result where the page behaves so in the candidate's windows."""
        self.page.behave = {"fast": behave}
        done = self.bulkhead("experiment", "run", "--yes", self.write(blocks={"least": 2, "most": 2}), "--output", str(self.folder))
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.run_result()

    def test_a_source_that_dies_or_lies_costs_its_block_and_is_named(self):
        page, series = self.page.address(), "the series requests_total has "
        for behave, why in (("dead", f"{page} answered 500"), ("stall", f"{page} did not answer within 2000 ms"),
                            ("text", series + '"many" for a value'), ("nan", series + "the value NaN"),
                            ("backwards", "the counter requests_total went backwards, from [0-9]+ to [0-9]+")):
            with self.subTest(behave):
                result = self.lies(behave)
                windows = (1,) if behave == "stall" else (1, 2)  # of the blocks BAAB and ABBA: the candidate's first one
                dropped = [block["dropped"] for block in result["blocks"] if block.get("dropped")]
                self.assertEqual(len(dropped), len(windows), dropped)
                for window, text in zip(windows, dropped):
                    self.assertRegex(text, f"^window {window}, fast: throughput: {why}$")
                self.assertEqual(result["candidates"][0]["blocks"], 2 - len(windows))
                lost = [window["arm"] for window in result["windows"] if window["metrics"][0].get("value") is None]
                self.assertEqual(lost, ["fast"] * (1 if behave == "stall" else 4))
        self.assert_nobody_runs()

    def test_a_limit_that_is_left_brings_back_the_control_within_a_second(self):
        self.page.behave = {"fast": "late"}
        runner = self.begin(limits={"latency": {"above": 50}})
        eventually(lambda: self.page.late, "the limit is left")
        eventually(lambda: not (RESCTRL / "bulkhead.fast").exists(), "the candidate is out")
        self.assertLess(time.monotonic() - self.page.late, 1)
        self.assertEqual(runner.wait(PATIENCE), 0)
        result = self.run_result()
        self.assertEqual([candidate["verdict"] for candidate in result["candidates"]], ["failed_safe"])
        self.assertEqual([(hit["arm"], hit["value"]) for hit in result["limit_hits"]], [("fast", 90)])


if __name__ == "__main__":
    run_on_simulated_hosts(__name__)

#!/usr/bin/python3
"""What bulkhead tells of an experiment that it runs, and what it does where that cannot be written.

    results_test.py FOLDER-OF-PROGRAMS [CLASS[.TEST]...]
"""

import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from experiment_on_host import ALIKE, ExperimentTest
from simulated_daemon import host_state, policy, run_on_simulated_hosts

ENDED = "the experiment has ended, and what was in force before it is in force again"


def told(done):
    """What standard error has besides how far the experiment is."""
    return re.sub("bulkhead: (block .* left|experiment try)\n", "", done.stderr)


class Told(ExperimentTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"
        self.out.mkdir()

    def run_result(self):
        return json.loads((self.out / "try.result.json").read_text())

    def run_it(self, *options, act="run", **more):
        return self.bulkhead("experiment", act, self.write(**more), "--output", str(self.out), *options)

    def meanwhile(self, command):
        """An arm that does that to the host when it is entered."""
        return {"slow": {"policy": "slow.json"}, "fast": {"policy": "fast.json", "on_enter": {"command": ["sh", "-c", command]}}}

    def fill_the_folder(self):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", self.out], check=True)
        self.addCleanup(subprocess.run, ["umount", self.out], check=True)

    def test_a_result_that_cannot_be_written_is_printed(self):
        self.in_force_before()
        before = host_state()
        for command, why in (("test -f out || { rmdir out && touch out; }", "Not a directory"),
                             ("mkdir -p out/try.result.json/x out/try.report.html/x", "Is a directory")):
            for options in ([], ["--json"]):
                with self.subTest(why, options=options):
                    subprocess.run(["rm", "-rf", self.out], check=True)
                    self.out.mkdir()
                    done = self.run_it("--yes", *options, arms=self.meanwhile(command))
                    self.assertEqual(done.returncode, 1)
                    self.assertRegex(told(done), f"^bulkhead: {ENDED}, but try.result.json and try.report.html could not be written: "
                                                 rf"cannot .* \({self.out}.*: {why}\)\n$")
                    if options:
                        self.assertEqual(json.loads(done.stdout)["candidates"][0]["verdict"], "adopt")
                    else:
                        self.assertIn("\nadopt fast: throughput +", done.stdout)
                        self.assertNotIn("report: ", done.stdout)
                    self.assertEqual(host_state(), before)
                    self.assertEqual([path.name for path in self.folder.rglob("*.new")], [])
        self.assert_nobody_runs()

    def test_what_can_be_written_is_and_what_cannot_leaves_nothing(self):
        self.fill_the_folder()
        done = self.run_it("--yes")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(told(done), f"^bulkhead: {ENDED}, but try.result.json and try.report.html could not be written: "
                                     r"cannot write \(.*: No space left on device\)\n$")
        self.assertIn("\nadopt fast: throughput +", done.stdout)
        self.assertEqual(list(self.out.iterdir()), [])

    def test_what_will_be_done_is_there_for_programs(self):
        self.in_force_before()
        before = host_state()
        done = self.run_it("--dry-run", "--json", blocks={"least": 2, "most": 3}, summary="Is it?")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = json.loads(done.stdout)
        plans = [(arm["name"], arm["plan"]["policy"]) for arm in told.pop("arms")]
        self.assertEqual(plans, [("slow", "slow"), ("fast", "fast")])
        blocks = told.pop("first_blocks")
        self.assertEqual([block["candidate"] for block in blocks], ["fast"] * 3)
        self.assertLessEqual({block["order"] for block in blocks}, {"ABBA", "BAAB"})
        self.assertAlmostEqual(told.pop("most_seconds"), 3 * 4 * 0.12)
        self.assertEqual(told, {
            "experiment": "try", "summary": "Is it?", "control": "slow", "search": None, "primary": "throughput", "smallest_effect": 0.01,
            "noise": 0.02, "noise_is_assumed": True, "window_seconds": 0.1, "washout_seconds": 0.02, "least_blocks": 2, "most_blocks": 3,
            "search_seconds": None, "typical_blocks": None, "typical_seconds": None, "safe_blocks": None, "seed": 7})
        text = self.run_it("--dry-run", blocks={"least": 2, "most": 3})
        self.assertEqual((text.returncode, text.stderr), (0, ""))
        listed = ", ".join(f"{block['order']} {block['candidate']}" for block in blocks)
        self.assertIn(f"first blocks (A is the control): {listed}\n", text.stdout)
        self.assertEqual((host_state(), list(self.out.iterdir())), (before, []))

    def test_what_a_search_will_do_is_there_for_programs(self):
        search = {"policy": "fast.json", "service": "fast", "ways": [4, 8, 12], "evaluations": 7, "latency": {"metric": "latency", "limit": 50}}
        told = json.loads(self.run_it("--dry-run", "--json", act="search", arms={"slow": {"policy": "slow.json"}}, search=search).stdout)
        self.assertEqual(told["search"], {"policy": "fast.json", "service": "fast", "latency": "latency", "latency_limit": 50,
                                          "combinations": 3, "evaluations": 3})
        self.assertAlmostEqual(told["search_seconds"], 3 * 4 * 0.12)
        self.assertAlmostEqual(told["most_seconds"], (3 + 8) * 4 * 0.12)
        self.assertEqual(told["first_blocks"], [])

    def test_what_would_keep_a_run_from_beginning_keeps_it_from_being_shown_as_if_it_would(self):
        (self.folder / "fast.json").write_text(policy("fast", fast={**ALIKE, "cpus": {"ccds": "40"}}))
        file = self.folder / "file"
        file.write_text("")
        for options, status, why in (
                ([], 3, "while planning arm fast"), (["--output", str(file)], 1, rf"\({file}: Not a directory\)"),
                (["--output", str(self.folder / "nowhere")], 1, "No such file or directory")):
            for dry in (["--dry-run"], ["--dry-run", "--json"], ["--yes"]):
                with self.subTest(options=options, dry=dry):
                    done = self.bulkhead("experiment", "run", self.write(), *dry, *(options or ["--output", str(self.out)]))
                    self.assertEqual(done.returncode, status)
                    if "--json" in dry:
                        self.assertRegex(str(json.loads(done.stdout)["error"]), "planning arm fast|the result could not be written")
                    else:
                        self.assertRegex(done.stderr, why)
        self.assert_nobody_runs()

    def test_why_it_failed_is_told_on_standard_error(self):
        self.in_force_before()
        before = host_state()
        for options in ([], ["--json"]):
            done = self.run_it("--yes", *options, arms=self.meanwhile("echo no >&2; exit 3"))
            self.assertEqual((done.returncode, told(done)), (1, "bulkhead: the experiment failed: sh ended with status 3: no, while entering "
                                                                f"arm fast\nbulkhead: {ENDED}\n"), done.stdout)
        self.assertEqual(self.run_result()["failure"], "sh ended with status 3: no, while entering arm fast")
        self.assertEqual(host_state(), before)

    def test_what_is_about_the_experiment_that_runs_takes_no_file(self):
        for act in ("status", "stop"):
            done = self.bulkhead("experiment", act, self.write())
            self.assertEqual((done.returncode, done.stderr.splitlines()[0]),
                             (2, f"bulkhead: experiment {act} takes no FILE: it is about the one that runs"))

    def test_a_report_that_cannot_be_written_is_printed(self):
        self.assertEqual(self.run_it("--yes").returncode, 0)
        result = str(self.out / "try.result.json")
        (self.folder / "other/try.report.html/x").mkdir(parents=True)
        done = self.bulkhead("experiment", "report", result, "--output", str(self.folder / "other"))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^bulkhead: try.report.html could not be written: .*: Is a directory\)\n$")
        self.assertRegex(done.stdout, "^adopt fast: throughput ")
        self.assertEqual((self.folder / "other/try.result.json").read_text(), (self.out / "try.result.json").read_text())


if __name__ == "__main__":
    run_on_simulated_hosts(__name__)

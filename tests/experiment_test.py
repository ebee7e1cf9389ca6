#!/usr/bin/python3
"""Experiments on simulated hosts, with and without the daemon: what they bring, who may not disturb them, and what is in force
when they have ended, however that came about.

    experiment_test.py FOLDER-OF-PROGRAMS [CLASS[.TEST]...]

With EVERY_PHASE in the environment runners are killed at many more moments.
"""

import http.server
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from simulated_daemon import (CGROUP, PATIENCE, PROGRAMS, RESCTRL, ROOT, DaemonTest, eventually, host_state, policy,
                              run_on_simulated_hosts)

# Of each runner: while a policy was in force before, and while none was.
KILLS = (60, 30) if "EVERY_PHASE" in os.environ else (3, 2)
LAST_KILL = 1.5  # seconds after the first window has begun; a block takes about one
ALIKE = {"select": {"cgroup": "/proxy"}, "cpus": {"ccds": "0-3"}, "l3": "50%"}
BEFORE = policy("before")
POLICIES = {"slow.json": policy("slow", slow=ALIKE), "fast.json": policy("fast", fast={**ALIKE, "l3": "75%"})}


class Page(http.server.ThreadingHTTPServer):
    """What a proxy would tell: 1000 requests a second, and a fifth more while the policy "fast" is in force. Seconds are those of
    the page itself, so that it does not matter how busy this machine is."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answers)
        self.lock, self.count, self.seconds, self.behave, self.end = threading.Lock(), 5e6, 0, {}, threading.Event()
        self.late = None  # when the limit was first left
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def address(self):
        return f"http://127.0.0.1:{self.server_port}/metrics"

    def text(self):
        with self.lock:
            fast = (RESCTRL / "bulkhead.fast").exists()
            self.seconds += 1
            self.count += (1200 if fast else 1000) + self.seconds * 7 % 5  # a little noise
            behave = self.behave.get("fast" if fast else "slow", "")
            value = {"text": "many", "nan": "NaN", "backwards": str(6e6 - self.count)}.get(behave, str(self.count))
        if behave == "late":
            self.late = self.late or time.monotonic()
        if behave == "stall":
            self.behave = {}  # once
            self.end.wait(PATIENCE)
        return "" if behave == "dead" else f"requests_total {value}\nseconds_total {self.seconds}\nlatency {90 if behave == 'late' else 5}\n"

    def handle_error(self, request, client_address):
        """Runners are killed while they are answered."""

    def close(self):
        self.end.set()
        self.shutdown()
        self.server_close()


class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        text = self.server.text().encode()
        self.send_response(200 if text else 500)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class ExperimentTest(DaemonTest):
    maxDiff = None

    def setUp(self):
        super().setUp()
        (CGROUP / "cgroup.subtree_control").write_text("+cpuset")
        self.page = Page()
        self.addCleanup(self.page.close)
        self.person(cgroup="proxy")
        self.person(cgroup="bulk")
        os.mkdir(RESCTRL / "theirs")
        (RESCTRL / "theirs/schemata").write_text("L3:0=8000;7=8000\n")
        self.addCleanup(os.rmdir, RESCTRL / "theirs")
        self.log = self.folder / "log"
        for name, text in POLICIES.items():
            (self.folder / name).write_text(text)
        (self.folder / "before.json").write_text(BEFORE)

    def experiment(self, **more):
        """The text of one that has its verdict after three blocks."""
        page = self.page.address()
        return json.dumps({
            "experiment": 1, "name": "try", "arms": {
                "slow": {"policy": "slow.json"},
                "fast": {"policy": "fast.json",
                         "on_enter": {"command": ["sh", "-c", "echo in >> steps"]},
                         "on_leave": {"command": ["sh", "-c", "echo out >> steps"]}}},
            "control": "slow", "primary": {"metric": "throughput", "smallest_effect": "1%"},
            "metrics": {"throughput": {"page": page, "rate": "requests_total", "per": "seconds_total", "better": "higher"},
                        "latency": {"page": page, "value": "latency", "better": "lower"}},
            "window": "100ms", "washout": "20ms", "blocks": {"least": 3, "most": 8}, "seed": 7, **more})

    def write(self, **more):
        (self.folder / "try.json").write_text(self.experiment(**more))
        return str(self.folder / "try.json")

    def order(self, **more):
        return {"text": self.experiment(**more), "name": "try.json", "folder": str(self.folder), "policies": POLICIES}

    def endless(self):
        return {"blocks": {"least": 400, "most": 400}}

    def in_force_before(self):
        self.assertEqual(self.bulkhead("apply", "--yes", str(self.folder / "before.json")).returncode, 0)

    def steps(self):
        """What the commands of the arm "fast" have noted: it is left as often as it is entered."""
        file = self.folder / "steps"
        return file.read_text().split() if file.exists() else []

    def assert_left(self):
        steps = self.steps()
        self.assertEqual(steps[-1:], ["out"] if steps else [], steps)

    def assert_nobody_runs(self):
        self.assertFalse((self.run / "experiment.json").exists())
        self.assertFalse((self.run / "experiment-progress.json").exists())

    def run_result(self):
        with open(self.folder / "try.result.json", encoding="utf-8") as file:
            return json.load(file)


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


class WithDaemon(ExperimentTest):
    def setUp(self):
        super().setUp()
        self.start()
        self.watcher = self.api()

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

    def test_one_that_cannot_be_had_changes_nothing(self):
        before = host_state()
        order = self.order()
        order["policies"] = {**POLICIES, "fast.json": policy("fast", fast={**ALIKE, "cpus": {"ccds": "40"}})}
        refused = self.watcher.answer("experiment.start", **order)["error"]
        self.assertEqual((refused["code"], refused["data"]["context"]), (-32003, ["planning arm fast"]))
        self.assertEqual(self.watcher.call("experiment.status"), {"experiment": None})
        self.assertEqual(self.watcher.answer("experiment.result")["error"]["message"], "no experiment has run here")
        self.assertEqual(host_state(), before)

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

#!/usr/bin/python3
"""The real example: nginx beside a noisy neighbour, on this host and its real cgroups, with windows so short that it takes
seconds. What is found does not hang on how fast this host is: set apart from 16 neighbours nginx answers several times as
much, and equal arms would be told apart by 8 blocks in one of 10,000 runs.

    nginx_neighbour_test.py FOLDER-OF-BULKHEAD
"""

import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

# Optimised where tests/run has built that: this is about the host, and sanitizers only make its windows longer.
PROGRAMS = os.path.join(os.environ["BULKHEAD_BUILD"], "bin") if "BULKHEAD_BUILD" in os.environ else os.path.abspath(sys.argv[1])
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RUN = "/run/nginx-neighbour"
TREES = ("/sys/fs/cgroup", "/sys/fs/cgroup/cpuset")
SECONDS = 300  # only against hanging
PR_SET_CHILD_SUBREAPER = 36
ENVIRONMENT = {**os.environ, "PATH": f"{PROGRAMS}:{os.environ['PATH']}"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def descendants(ancestor):
    """Names of the processes that came from one and are not dead yet, by number; its children first."""
    names, children = {}, {}
    for process in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            name, state, parent = re.fullmatch(r"\d+ \((.*)\) (\S) (\d+) .*\n", read(f"/proc/{process}/stat"), re.DOTALL).groups()
        except (FileNotFoundError, ProcessLookupError):
            continue
        children.setdefault(int(parent), []).append(process)
        if state not in "ZX":
            names[process] = name
    found, more = {}, [ancestor]
    while more:
        below = children.get(more.pop(0), [])
        more += below
        found.update((process, names[process]) for process in below if process in names)
    return found


def host():
    """What must be as before: our own cgroups, what is switched on at the top, and what a user's Bulkhead remembers."""
    trees = {tree: sorted(name for name in os.listdir(tree) if re.match("nginx-neighbour|bulkhead", name))
             for tree in TREES if os.path.isdir(tree)}
    switched_on = {tree: read(tree + "/cgroup.subtree_control").split()
                   for tree in TREES if os.path.exists(tree + "/cgroup.subtree_control")}
    remembered = sorted(os.listdir("/run/bulkhead")) if os.path.isdir("/run/bulkhead") else None
    return trees, switched_on, remembered, os.path.exists(RUN)


class NginxNeighbour(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        os.chmod(self.folder, 0o755)
        self.example = self.folder + "/example"
        shutil.copytree(ROOT + "/examples/nginx-neighbour", self.example)
        self.before = host()
        self.assertFalse(self.before[-1], RUN + " is there: the example runs, or was killed; run it once more")

    def shorten(self, name, arms, **more):
        """The experiment with these arms and short windows; all else as it is shipped."""
        path = f"{self.example}/{name}"
        text = "".join(line for line in read(path).splitlines(True) if not line.lstrip().startswith("//"))
        experiment = json.loads(text)
        experiment.update(window="300ms", washout="50ms", arms={arm: experiment["arms"][arm] for arm in arms}, **more)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(experiment, file)
        return experiment

    def measure(self, *arguments, **more):
        return subprocess.run([self.example + "/measure", *arguments], env={**ENVIRONMENT, **more}, check=False, timeout=SECONDS,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def start(self, name):
        output = open(self.folder + "/output", "w+", encoding="utf-8")
        self.addCleanup(output.close)
        process = subprocess.Popen([self.example + "/measure", f"{self.example}/{name}", self.folder], env=ENVIRONMENT,
                                   stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def said(self):
        return read(self.folder + "/output")

    def run_to_its_end(self, name):
        process = self.start(name)
        self.wait_until(lambda: process.poll() is not None)
        self.assertEqual(process.returncode, 0, self.said())
        self.assert_nothing_is_left()

    def wait_until(self, holds):
        until = time.monotonic() + SECONDS
        while not holds():
            self.assertLess(time.monotonic(), until, self.said())
            time.sleep(0.05)

    def wait_until_it_measures(self, process):
        self.wait_until(lambda: "block 1 of" in self.said() or process.poll() is not None)
        self.assertIsNone(process.poll(), self.said())
        self.assertEqual({"nginx", "stress-ng-cache"} - set(descendants(process.pid).values()), set())

    def assert_nothing_is_left(self):
        self.assertEqual(descendants(os.getpid()), {})  # orphans included, as they come to us
        self.assertEqual(host(), self.before)

    def result(self, experiment):
        name = experiment["name"]
        self.assertIn(f"report: {self.folder}/{name}.report.html\n", self.said())
        self.assertTrue(os.path.exists(f"{self.folder}/{name}.report.html"))
        return json.loads(read(f"{self.folder}/{name}.result.json"))

    def test_finds_that_nginx_is_better_off_apart_from_its_neighbour(self):
        arms = ["shared", "apart", "alone"] if "ALL_ARMS" in os.environ else ["shared", "apart"]
        experiment = self.shorten("experiment.json", arms)
        self.run_to_its_end("experiment.json")
        result = self.result(experiment)
        self.assertEqual([(arm["arm"], arm["verdict"]) for arm in result["candidates"]],
                         [(arm, "adopt") for arm in arms[1:]], self.said())
        for arm in result["candidates"]:
            changes = {estimate["metric"]: estimate["change"] for estimate in arm["estimates"]}
            self.assertGreater(changes["requests"], 0.5, self.said())
            self.assertLess(changes["p99"], 0, self.said())

    def test_finds_nothing_where_nothing_differs(self):
        experiment = self.shorten("same.json", ["shared", "again"], blocks={"least": 8, "most": 8})
        self.run_to_its_end("same.json")
        result = self.result(experiment)
        again = result["candidates"][0]
        self.assertNotEqual(again["verdict"], "adopt", self.said())
        self.assertGreater(again["blocks"], 0, self.said())
        self.assertEqual(len(result["blocks"]), 8, self.said())

    def test_runs_once_at_a_time_and_leaves_nothing_when_it_is_told_to_end(self):
        self.shorten("experiment.json", ["shared", "apart"])
        process = self.start("experiment.json")
        self.wait_until_it_measures(process)
        second = self.measure(self.example + "/experiment.json", self.folder)
        self.assertEqual((second.returncode, second.stderr), (1, "nginx-neighbour: it runs already\n"))
        self.assertIsNone(process.poll(), self.said())
        process.terminate()
        self.assertEqual(process.wait(SECONDS), 128 + signal.SIGTERM, self.said())
        self.assert_nothing_is_left()

    def test_takes_away_what_a_killed_run_has_left(self):
        self.shorten("experiment.json", ["shared", "apart"])
        process = self.start("experiment.json")
        self.wait_until_it_measures(process)
        session = next(iter(descendants(process.pid)))  # its child, from which all else comes
        os.kill(session, signal.SIGKILL)
        self.assertEqual(process.wait(SECONDS), 128 + signal.SIGKILL, self.said())
        self.assertTrue(os.path.exists(RUN))
        process = self.start("experiment.json")
        self.wait_until_it_measures(process)
        process.kill()
        process.wait()
        self.wait_until(lambda: not descendants(os.getpid()))
        self.assert_nothing_is_left()

    def test_names_the_packages_that_are_missing(self):
        programs = self.folder + "/programs"
        os.mkdir(programs)
        for program in ("bash", "dirname", "realpath", "setpriv"):
            os.symlink(shutil.which(program), f"{programs}/{program}")
        os.symlink("/bin/true", programs + "/nginx")
        found = self.measure("--check", PATH=programs)
        self.assertEqual((found.returncode, found.stderr),
                         (1, "nginx-neighbour: packages are missing: apt-get install --no-install-recommends wrk stress-ng\n"))


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    unittest.main(argv=sys.argv[:1])

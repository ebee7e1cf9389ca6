"""The clients in examples/clients, and bulkhead itself, each on a simulated host where the daemon runs.

    clients_test.py BULKHEAD-SIM DIRECTORY-OF-BULKHEADD FOLDER-TO-WORK-IN shell|python|node|bulkhead
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import kept_host  # noqa: E402

SIM, PROGRAMS, FOLDER, LANGUAGE = sys.argv[1], *map(os.path.abspath, sys.argv[2:4]), sys.argv[4]
CLIENTS = kept_host.ROOT / "examples/clients"
BROKEN = kept_host.POLICY.parent / "broken.json"
SCHEMATA = Path("/sys/fs/resctrl/bulkhead.web/schemata")
POLICY = """{"bulkhead": 1, "name": "%s", "services":
    {"web": {"select": {"cgroup": "/system.slice/web.service"}, "cpus": {"ccds": "0"}, "l3": "50%%"}}}"""


class Following:
    """A program that goes on until it is told to end, and its lines as they come."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                        start_new_session=True)
        self.lines = []

    def until(self, pattern):
        signal.alarm(kept_host.PATIENCE)
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if re.fullmatch(pattern, self.lines[-1]):
                signal.alarm(0)
                return self.lines[-1]
        raise AssertionError(f"no line {pattern} in {self.lines}")

    def end(self):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(kept_host.PATIENCE)
        self.process.stdout.close()


class Client(unittest.TestCase):
    def setUp(self):
        for name in "web", "other":
            (kept_host.POLICY.parent / f"{name}.json").write_text(POLICY % name)
        BROKEN.write_text("{}")
        service = kept_host.make_service("web.service")
        daemon = kept_host.Daemon(os.path.join(PROGRAMS, "bulkheadd"))
        self.addCleanup(kept_host.forget_everything, os.path.join(PROGRAMS, "bulkhead"), service)
        daemon.__enter__()
        self.addCleanup(daemon.__exit__, None)

    def follow(self, *command):
        following = Following(*command)
        self.addCleanup(following.end)
        return following

    def run_to_end(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=kept_host.PATIENCE)
        return done.returncode, done.stdout, done.stderr

    def apply_and_follow(self, *command):
        """What the example programs of Python and Node do; both say the same."""
        first = self.follow(*command, "/etc/bulkhead/web.json")
        first.until("in force: web, generation 1")
        self.assertIn("was in force: nothing, generation 0", first.lines)
        SCHEMATA.write_text("L3:0=1\n")
        self.assertRegex(first.until("drift.found .*"), "expected ff, found 1")
        first.until("drift.repaired .*")
        second = self.follow(*command, "/etc/bulkhead/other.json")
        second.until("in force: other, generation 2")
        self.assertIn("was in force: web, generation 1", second.lines)
        self.assertRegex(first.until("policy.applied .*other.*"), r"\b2\b")
        status, text, complaint = self.run_to_end(*command, str(BROKEN))
        self.assertEqual((status, text), (1, "was in force: other, generation 2\n"))
        self.assertRegex(complaint, "^invalid: /etc/bulkhead/broken.json:1:1: ")

    @unittest.skipIf(LANGUAGE != "shell", "another language")
    def test_shell(self):
        program = str(CLIENTS / "shell/bulkhead-client")
        events = self.follow(program, "events", "policy.applied", "drift.found", "drift.repaired")
        applied = self.run_to_end(program, "apply", "/etc/bulkhead/web.json")
        self.assertEqual((applied[0], applied[2]), (0, ""))
        self.assertRegex(applied[1], "^web is in force, generation 1\nmake group bulkhead.web\n")
        SCHEMATA.write_text("L3:0=1\n")
        self.assertRegex(events.until("drift.found .*"), "expected ff, found 1")
        events.until("drift.repaired .*")
        self.assertRegex(self.run_to_end(program, "status")[1], '(?s)^{\n  "policy": "web",.*"drift": 0')
        status, text, complaint = self.run_to_end(program, "apply", str(BROKEN))
        self.assertEqual((status, text), (1, ""))
        self.assertRegex(complaint, "^invalid: /etc/bulkhead/broken.json:1:1: ")
        self.assertEqual(self.run_to_end(program, "events", "policy.aplied")[:2], (1, ""))
        self.assertEqual(self.run_to_end(program)[0], 2)

    @unittest.skipIf(LANGUAGE != "python", "another language")
    def test_python(self):
        self.apply_and_follow("/usr/bin/python3", str(CLIENTS / "python/apply_and_follow.py"))

    @unittest.skipIf(LANGUAGE != "node", "another language")
    def test_node(self):
        self.apply_and_follow("node", FOLDER + "/apply-and-follow.js")

    @unittest.skipIf(LANGUAGE != "bulkhead", "not in a language")
    def test_bulkhead(self):
        """What a user may do depends on the groups that he is in."""
        def as_member(group, *words):
            user = ["setpriv", f"--reuid={kept_host.USER}", f"--regid={group}", "--clear-groups"]
            return self.run_to_end(*user, program, *words)

        program = shutil.copy(os.path.join(PROGRAMS, "bulkhead"), "/run/program")  # a place that everybody may look into
        refused = "bulkhead: {} is for root and the admin group; user 4903 may only look\n"
        stranger = "bulkhead: user 4903 has no rights here\n"
        apply = ["apply", "--yes", "/etc/bulkhead/web.json"]
        for group, words, status, complaint in (
                (kept_host.READ_GROUP, apply, 5, refused.format("policy.apply")),
                (kept_host.USER, apply, 5, stranger),
                (kept_host.ADMIN_GROUP, apply, 0, ""),
                (kept_host.READ_GROUP, ["verify"], 0, ""),
                (kept_host.READ_GROUP, ["status"], 0, ""),
                (kept_host.READ_GROUP, ["reset", "--yes"], 5, refused.format("policy.reset")),
                (kept_host.USER, ["status"], 5, stranger),
                (kept_host.USER, ["reset", "--yes"], 5, stranger),
                (kept_host.ADMIN_GROUP, ["reset", "--yes"], 0, "")):
            with self.subTest(group=group, words=words):
                found = as_member(group, *words)
                self.assertEqual((found[0], found[2].split("bulkhead: more rights")[0]), (status, complaint))
        audit = [json.loads(line) for line in Path("/var/log/bulkhead/audit.log").read_text().splitlines()]
        self.assertEqual([(line["action"], line["uid"], line["from"], line["to"]) for line in audit],
                         [("policy.apply", kept_host.USER, 0, 1), ("policy.reset", kept_host.USER, 1, 2)])


def install_node_packages():
    """In a copy: the sources stay as they are. Once for each list of packages."""
    lock = "package-lock.json"
    shutil.copytree(CLIENTS / "node", FOLDER, dirs_exist_ok=True, ignore=lambda *_: ["node_modules"])
    installed = Path(FOLDER, "node_modules", "of-" + lock)
    if not installed.exists() or installed.read_bytes() != Path(FOLDER, lock).read_bytes():
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=FOLDER, check=True)
        shutil.copy(Path(FOLDER, lock), installed)


if __name__ == "__main__":
    if LANGUAGE == "node" and not kept_host.inside():
        install_node_packages()
    kept_host.enter(SIM, "lab-amd-2ccd")
    unittest.main(argv=sys.argv[:1])

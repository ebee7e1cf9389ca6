"""bulkheadd(8) and bulkhead-api(7) cannot lie: each of their examples is done on a simulated host where the daemon runs,
in the order of the page, and what they list is what the programs have.

    man_examples_test.py BULKHEAD-SIM DIRECTORY-OF-BULKHEADD
"""

import json
import os
import pathlib
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import kept_host  # noqa: E402

SIM, PROGRAMS = sys.argv[1], os.path.abspath(sys.argv[2])
DAEMON = os.path.join(PROGRAMS, "bulkheadd")
ENVIRONMENT = dict(os.environ, PATH=PROGRAMS + ":" + os.environ["PATH"], LC_ALL="C.UTF-8")
API, MANUAL = "bulkhead-api.7", "bulkheadd.8"
MAY_DIFFER = "..."
METRICS = Path("/var/lib/prometheus/node-exporter/bulkhead.prom")
LINES = ("no JSON", "[]", '{"jsonrpc":"2.0","id":1,"method":"no such"}', '{"jsonrpc":"2.0","id":1,"method":"policy.check"}',
         '{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}')


def page(name):
    return (kept_host.ROOT / "man" / (name + ".scd")).read_text(encoding="utf-8")


def examples(text):
    """The literal blocks as they are shown, each a list of lines."""
    return [re.sub(r"\\(.)", r"\1", block).strip("\n").split("\n") for block in text.split("```\n")[1::2]]


def whole_lines(block):
    """Lines that begin with four spaces go on with the one before."""
    lines = []
    for line in block:
        if line.startswith("    "):
            lines[-1] += line[4:]
        else:
            lines.append(line)
    return lines


def between(text, start, end):
    return text.split(start, 1)[1].split(end, 1)[0]


def entries(text):
    """The bold words at the starts of lines, each with the rest of its line."""
    found = {}
    for line in re.findall(r"(?m)^\*.*", text):
        names = re.findall(r"\*([^*]+)\*(?:, )?", line)
        rest = line.split("*")[-1].strip()
        found.update((name, rest) for name in names)
    return found


def type_in(command):
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=ENVIRONMENT,
                          timeout=kept_host.PATIENCE)
    return (done.stdout + done.stderr).rstrip("\n")


class Examples(unittest.TestCase):
    def setUp(self):
        kept_host.CONFIG.write_text('{"bulkheadd": 1}\n')
        kept_host.POLICY.write_text("""{"bulkhead": 1, "name": "web", "services":
            {"web": {"select": {"cgroup": "/system.slice/web.service"}, "cpus": {"ccds": "0"}}}}""")
        self.service = kept_host.make_service("web.service")
        self.addCleanup(kept_host.forget_everything, os.path.join(PROGRAMS, "bulkhead"), self.service)

    def assert_is_as(self, shown, text):
        pattern = ".*".join(re.escape(piece) for piece in shown.split(MAY_DIFFER))
        self.assertTrue(re.fullmatch(pattern, text, re.DOTALL), f"the page has\n{shown}\nbut it is\n{text}")

    def converse(self, block):
        """On one connection. What comes after a line to the daemon or a command may come in any order."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(kept_host.PATIENCE)
            connection.connect(str(kept_host.SOCKET))
            stream = connection.makefile("rw", encoding="utf-8")
            expected = []

            def settle():
                came = sorted(stream.readline().rstrip("\n") for _ in expected)
                for shown, text in zip(sorted(expected), came):
                    self.assert_is_as(shown, text)
                expected.clear()

            for line in whole_lines(block):
                line = line.replace("PID", str(self.service.pid))
                if line.startswith("<-- "):
                    expected.append(line[4:])
                    continue
                settle()
                if line.startswith("--> "):
                    stream.write(line[4:] + "\n")
                    stream.flush()
                else:
                    self.assertEqual((line[:2], type_in(line[2:])), ("$ ", ""))
            settle()

    def run_commands(self, block):
        for command, *shown in (part.split("\n") for part in "\n".join(block)[2:].split("\n$ ")):
            self.assert_is_as("\n".join(shown), type_in(command))

    def configure(self, block):
        METRICS.parent.mkdir(parents=True, exist_ok=True)
        kept_host.CONFIG.write_text("\n".join(block) + "\n")
        self.assertEqual(type_in("bulkheadd --check; echo $?"), "0")

    def drop_in(self, block):
        """systemd understands each line of it, beside the unit that we ship."""
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder, "bulkheadd.service")
            shipped = (kept_host.ROOT / "systemd/bulkheadd.service").read_text(encoding="utf-8")
            unit.write_text(re.sub(r"(?m)^ExecStart=.*$", "ExecStart=/bin/true", shipped), encoding="utf-8")
            override = pathlib.Path(folder, "bulkheadd.service.d/override.conf")
            override.parent.mkdir()
            override.write_text("\n".join(block) + "\nNoSuchSetting=1\n", encoding="utf-8")
            said = subprocess.run(["systemd-analyze", "--man=no", "verify", unit], capture_output=True, text=True,
                                  timeout=kept_host.PATIENCE, check=False).stderr
        remarks = [line for line in said.splitlines() if "override.conf" in line]
        self.assertEqual(len(remarks), 1, said)
        self.assertIn("NoSuchSetting", remarks[0])

    def try_all(self, name):
        kinds = {"--> ": self.converse, "$ ": self.run_commands, "{": self.configure, "[Service]": self.drop_in}
        blocks = examples(page(name))
        self.assertTrue(blocks)
        with kept_host.Daemon(DAEMON):
            for block in blocks:
                with self.subTest(block[0]):
                    act = [act for start, act in kinds.items() if block[0].startswith(start)]
                    self.assertEqual(len(act), 1, "an example of no kind that can be tried")
                    act[0](block)

    def test_of_the_api_are_true(self):
        self.try_all(API)

    def test_of_the_daemon_are_true(self):
        self.try_all(MANUAL)


class Lists(unittest.TestCase):
    """Of what a page has, and the programs: nothing is missing on either side."""

    maxDiff = None

    def test_of_the_daemons_options(self):
        known = set(re.findall(r"(?m)^  (--[a-z-]+)", type_in("bulkheadd --help")))
        self.assertEqual(set(entries(between(page(MANUAL), "# OPTIONS\n", "\n# "))), known)

    def test_of_the_configuration(self):
        kept_host.CONFIG.write_text('{"bulkheadd": 1, "nothing like it": 1}')
        known = re.findall('"([a-z_]+)"', type_in("bulkheadd --check").split("known here are", 1)[1])
        self.assertEqual(sorted(entries(between(page(MANUAL), "; keywords\n", "; end"))), sorted(known))

    def test_of_the_running_daemon(self):
        METRICS.parent.mkdir(parents=True, exist_ok=True)
        kept_host.CONFIG.write_text(json.dumps({"bulkheadd": 1, "metrics_file": str(METRICS)}))
        with kept_host.Daemon(DAEMON):
            answers = [json.loads(line) for line in
                       type_in(f"printf '%s\\n' {shlex.join(LINES)} | socat -t 10 - UNIX:{kept_host.SOCKET}").splitlines()]
        *refusals, api = (answer.get("error") or answer["result"] for answer in answers)
        self.check_metrics(dict(re.findall(r"(?m)^# TYPE (\S+) (\S+)$", METRICS.read_text())))
        self.check_methods(api["methods"])
        kinds = {kind["const"] for kind in api["components"]["schemas"]["EventKind"]["oneOf"]}
        self.assertEqual(set(entries(between(page(API), "; kinds\n", "; end"))), kinds)
        numbers = {str(error["code"]): word for word, error in api["components"]["errors"].items()}
        numbers.update((str(refusal["code"]), "") for refusal in refusals)
        self.assertEqual(entries(between(page(API), "; codes\n", "; end")), numbers)

    def check_metrics(self, known):
        shown = entries(between(page(MANUAL), "; metrics\n", "; end"))
        self.assertEqual({name: kind.strip("()") for name, kind in shown.items()}, known)

    def check_methods(self, methods):
        text = page(API)
        self.assertEqual(sorted(re.findall(r"(?m)^## (\S+)$", text)), sorted(method["name"] for method in methods))
        for method in methods:
            with self.subTest(method["name"]):
                shown = re.split(r"\n##? ", text.split(f"\n## {method['name']}\n", 1)[1], maxsplit=1)[0]
                about = {name: what for name, what in entries(shown).items() if what.startswith("(")}
                self.assertEqual(list(about), [parameter["name"] for parameter in method["params"]])
                self.assertEqual([name for name, what in about.items() if "required" in what],
                                 [parameter["name"] for parameter in method["params"] if parameter["required"]])
                self.assertIn(f"Right: {method['x-right']}.", " ".join(shown.split()))


if __name__ == "__main__":
    kept_host.enter(SIM, "lab-amd-2ccd")
    unittest.main(argv=sys.argv[:1])

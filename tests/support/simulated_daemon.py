"""bulkheadd on simulated hosts: runs each class of tests inside of a bulkhead-sim of its own, and what they share there.

A suite ends with `run_on_simulated_hosts(__name__)` and is called with the folder of the programs, and names of tests
if not all are wanted.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from api_description import Description

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAMS = pathlib.Path(sys.argv[1]).resolve()
RESCTRL = pathlib.Path("/sys/fs/resctrl")
CGROUP = pathlib.Path("/sys/fs/cgroup")
SMALL = "lab-amd-12ccd-nps2"
PATIENCE = 20  # seconds, for what is there in a fraction of one unless the machine is very busy
FILES_OF_NOBODY = ("last_cmd_status", "tasks", "memory.peak")  # they change by themselves


def run_on_simulated_hosts(module):
    inside = os.environ.get("BULKHEAD_TEST_INSIDE")
    if inside:
        unittest.main(module=module, argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
    cases = [case for case in vars(sys.modules[module]).values()
             if isinstance(case, type) and issubclass(case, DaemonTest) and case.__module__ == module]
    wanted = sys.argv[2:] or [case.__name__ for case in cases]
    failed = 0
    for case in cases:
        names = [name for name in wanted if name.split(".")[0] == case.__name__]
        if names:
            failed += on_host(case, [sys.executable, sys.argv[0], PROGRAMS, *names]) != 0
    sys.exit(failed != 0)


def on_host(case, command):
    with tempfile.TemporaryDirectory() as folder:
        control = folder + "/control"
        return subprocess.run([PROGRAMS / "bulkhead-sim", case.machine, *case.host_options, "--control", control, "--", *command], cwd=ROOT,
                              env={**os.environ, "BULKHEAD_TEST_INSIDE": control}, check=False).returncode


def tell_host(command):
    """Of the simulator: what happens to a host from outside."""
    done = subprocess.run([PROGRAMS / "bulkhead-sim", "--tell", os.environ["BULKHEAD_TEST_INSIDE"], command],
                          capture_output=True, text=True, check=False)
    assert done.stdout == "ok\n", done.stdout + done.stderr


def fault_library(folder):
    """tests/lab/programs/fault.c, to be preloaded."""
    path = f"{folder}/fault.so"
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", path, ROOT / "tests/lab/programs/fault.c"], check=True)
    return path


def eventually(holds, what, patience=PATIENCE):
    """What `holds` answers, once that is true; how long it took is in `eventually.took`."""
    start = time.monotonic()
    while True:
        found = holds()
        eventually.took = time.monotonic() - start
        if found:
            return found
        if eventually.took > patience:
            raise AssertionError(f"not within {patience} s: {what}")
        time.sleep(0.01)


def write_mask(group, text):
    (RESCTRL / group / "schemata").write_text(text + "\n")


def masks(group):
    """{CCD: mask} of a control group's L3."""
    for line in (RESCTRL / group / "schemata").read_text().splitlines():
        name, _, values = line.strip().partition(":")
        if name == "L3":
            return dict(value.split("=") for value in values.split(";"))
    raise AssertionError(group + " has no L3")


def threads_of(group):
    return set(map(int, (RESCTRL / group / "tasks").read_text().split()))


def host_state():
    """All that bulkheadd may change, as text by file."""
    state = {}
    for root in (RESCTRL, CGROUP):
        for folder, folders, files in os.walk(root):
            folders[:] = [name for name in folders if name != "mon_data"]
            state[folder] = "directory"
            for name in files:
                wanted = root == RESCTRL or name.startswith("cpuset.") or name == "cgroup.subtree_control"
                if not wanted or name in FILES_OF_NOBODY:
                    continue
                with contextlib.suppress(OSError):
                    state[f"{folder}/{name}"] = pathlib.Path(folder, name).read_text()
    return state


class Api:
    """One connection."""

    description = None  # of all that answer here

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.lines = self.socket.makefile("rb")
        try:
            self.socket.connect(str(path))
        except OSError:
            self.close()
            raise
        self.path, self.events, self.last = path, [], 0

    def message(self):
        line = self.lines.readline()
        if not line:
            raise EOFError("the daemon ended the connection")
        return json.loads(line)

    def answer(self, method, **params):
        """The whole answer."""
        self.last += 1
        self.socket.sendall(json.dumps({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}).encode() +
                            b"\n")
        while True:
            message = self.message()
            if "method" not in message:
                return message
            self.events.append(message["params"])

    def call(self, method, **params):
        answer = self.answer(method, **params)
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']}")
        self.describe().require(method, answer["result"])
        return answer["result"]

    def describe(self):
        if Api.description is None:
            with contextlib.closing(Api(self.path)) as asking:
                Api.description = Description(asking.answer("rpc.discover")["result"])
        return Api.description

    def subscribe(self, *kinds):
        return self.call("events.subscribe", **({"kinds": kinds} if kinds else {}))

    def event(self, kind):
        """The next event of that kind; those before it are gone."""
        while True:
            event = self.events.pop(0) if self.events else self.message()["params"]
            if event["kind"] == kind:
                return event["data"]

    def kinds_so_far(self):
        """Of all events that have come, in order; they are gone then."""
        self.call("rpc.discover")  # what was told before its answer is here now
        kinds = [event["kind"] for event in self.events]
        self.events.clear()
        return kinds

    def close(self):
        self.lines.close()
        self.socket.close()


class DaemonTest(unittest.TestCase):
    machine = SMALL
    host_options = ()  # of bulkhead-sim
    config = {"sweep": "60m"}  # what is found is found because something happened

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm"))  # where syncing costs nothing
        self.run, self.state, self.socket = self.folder / "run", self.folder / "state", self.folder / "run/bulkhead.sock"
        self.people, self.made, self.daemon, self.apis = [], [], None, []
        self.before = host_state()
        self.addCleanup(self.clean_up)
        self.configure(self.config)

    def clean_up(self):
        for api in self.apis:
            api.close()
        if self.daemon is not None and self.daemon.poll() is None:
            self.stop()
        if (self.run / "state.json").exists() or (self.run / "journal").exists():
            self.bulkhead("reset", "--yes")
        for person in self.people:
            person.kill()
            person.wait()
            person.stdin.close()
        for name in reversed(self.made):
            with contextlib.suppress(OSError):
                (CGROUP / name).rmdir()
        if not (RESCTRL / "info").exists():
            subprocess.run(["mount", "-t", "resctrl", "resctrl", RESCTRL], check=True)
        shutil.rmtree(self.folder)

    def configure(self, config):
        (self.folder / "config.json").write_text(json.dumps({"bulkheadd": 1, "metrics_file": f"{self.folder}/bulkhead.prom", **config}))

    # The daemon.

    def command(self, *words):
        return [PROGRAMS / "bulkheadd", "--runtime-dir", self.run, "--state-dir", self.state, "--config",
                self.folder / "config.json", *words]

    def start(self, **how):
        self.log = self.folder / "log"
        with open(self.log, "ab") as log:
            self.daemon = subprocess.Popen(self.command(), stderr=log, **how)
        eventually(lambda: self.answers() or self.daemon.poll() is not None, "the daemon answers")
        self.assertIsNone(self.daemon.poll(), self.said())

    def answers(self):
        with contextlib.suppress(OSError, EOFError):
            with contextlib.closing(Api(self.socket)) as probe:
                probe.call("policy.active")
                return True
        return False

    def stop(self, how=signal.SIGTERM):
        self.daemon.send_signal(how)
        status = self.daemon.wait(timeout=PATIENCE)
        if how == signal.SIGTERM:
            self.assertEqual(status, 0, self.said())
        return status

    def said(self):
        return self.log.read_text()

    def api(self):
        self.apis.append(Api(self.socket))
        return self.apis[-1]

    def looks(self):
        """How often the daemon has looked at the host."""
        with contextlib.suppress(OSError):
            for line in (self.folder / "bulkhead.prom").read_text().splitlines():
                if line.startswith("bulkhead_looks_total "):
                    return int(line.split()[1])
        return 0

    def settle(self, before=None):
        """Until the daemon has seen all that happened, and sleeps. Before that it had looked so often."""
        before = self.looks() if before is None else before
        eventually(lambda: self.looks() > before, "the daemon looks after a change")
        while before != self.looks():
            before = self.looks()
            time.sleep(0.6)

    def bulkhead(self, *words):
        return subprocess.run([PROGRAMS / "bulkhead", *words, "--runtime-dir", self.run], capture_output=True, text=True,
                              check=False, cwd=ROOT, stdin=subprocess.DEVNULL)

    def audit(self):
        with open(self.state / "audit.log", encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    # The host.

    def person(self, *command, cgroup=None):
        """A process that does nothing, or what it is told, in a cgroup, which is made."""
        person = subprocess.Popen(command or ["sleep", "1000"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self.people.append(person)
        if cgroup:
            (CGROUP / cgroup).mkdir(parents=True, exist_ok=True)
            self.made += [str(path) for path in reversed(pathlib.Path(cgroup).parents)][1:] + [cgroup]
            (CGROUP / cgroup / "cgroup.procs").write_text(str(person.pid))
        return person

    def gone(self, person, cgroup):
        person.kill()
        person.wait()
        eventually(lambda: not (CGROUP / cgroup / "cgroup.procs").read_text(), "the cgroup is empty")
        (CGROUP / cgroup).rmdir()


def policy(name="halves", **services):
    """The text of a policy; the services' wants are given by name. Without any: two cgroups, by tasks."""
    wants = services or {"proxy": {"select": {"cgroup": "/proxy"}, "cpus": {"ccds": "0-3"}, "l3": "50%"},
                         "bulk": {"select": {"cgroup": "/bulk"}, "cpus": {"ccds": "0-3"}, "l3": {"ways": 2}}}
    return json.dumps({"bulkhead": 1, "name": name, "services": wants})

"""Experiments on simulated hosts: a page whose numbers follow the policy in force, and what suites of experiments share."""

import http.server
import json
import os
import threading
import time

from simulated_daemon import CGROUP, PATIENCE, RESCTRL, DaemonTest, policy

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


class DaemonRuns(ExperimentTest):
    def setUp(self):
        super().setUp()
        self.start()
        self.watcher = self.api()

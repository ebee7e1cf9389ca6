"""The daemon's metrics, all the way: its file, node_exporter's textfile collector, a Prometheus that scrapes it, and what
a query there answers. Without Debian's prometheus and prometheus-node-exporter it is skipped: exit status 77.

    prometheus_test.py BULKHEAD-SIM DIRECTORY-OF-BULKHEADD
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import kept_host  # noqa: E402

SIM, PROGRAMS = sys.argv[1], os.path.abspath(sys.argv[2])
BULKHEAD, DAEMON = os.path.join(PROGRAMS, "bulkhead"), os.path.join(PROGRAMS, "bulkheadd")
METRICS = Path("/var/lib/prometheus/node-exporter/bulkhead.prom")
NEEDED = "prometheus", "promtool", "prometheus-node-exporter"
SKIPPED = 77


def free_address():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return "127.0.0.1:" + str(server.getsockname()[1])


class Pipeline(unittest.TestCase):
    def start(self, *command):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (process.kill(), process.wait()))

    def setUp(self):
        METRICS.parent.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        exporter, self.prometheus = free_address(), free_address()
        config = Path(folder.name, "prometheus.yml")
        config.write_text(f"""
            global: {{scrape_interval: 1s}}
            scrape_configs: [{{job_name: node, static_configs: [{{targets: ["{exporter}"]}}]}}]""")
        self.start("prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile",
                   f"--collector.textfile.directory={METRICS.parent}", f"--web.listen-address={exporter}")
        self.start("prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder.name}/data",
                   f"--web.listen-address={self.prometheus}")
        kept_host.CONFIG.write_text(json.dumps({"bulkheadd": 1, "metrics_file": str(METRICS), "sweep": "500ms"}))
        kept_host.POLICY.write_text("""{"bulkhead": 1, "name": "web", "services":
            {"web": {"select": {"cgroup": "/system.slice/web.service"}, "cpus": {"ccds": "0"}, "l3": "50%"}}}""")
        service = kept_host.make_service("web.service")
        self.addCleanup(kept_host.forget_everything, BULKHEAD, service)
        daemon = kept_host.Daemon(DAEMON)
        daemon.__enter__()
        self.addCleanup(daemon.__exit__, None)

    def ask(self, query):
        """The samples, each with its labels and its value."""
        address = f"http://{self.prometheus}/api/v1/query?" + urllib.parse.urlencode({"query": query})
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                return [(sample["metric"], float(sample["value"][1])) for sample in json.load(answer)["data"]["result"]]
        except (urllib.error.URLError, ConnectionError):
            return []

    def wait_for(self, query, value):
        kept_host.wait_until(lambda: [found for _, found in self.ask(query)] == [value], what=query)

    def test_what_happens_is_seen_in_prometheus(self):
        self.wait_for("bulkhead_generation", 0)
        self.assertEqual(self.ask("bulkhead_policy_info"), [])
        subprocess.run([BULKHEAD, "apply", "--yes", kept_host.POLICY], check=True, capture_output=True)
        self.wait_for("bulkhead_generation", 1)
        self.wait_for('bulkhead_policy_info{policy="web"}', 1)
        Path("/sys/fs/resctrl/bulkhead.web/schemata").write_text("L3:0=1\n")
        self.wait_for("bulkhead_repairs_total", 1)
        self.wait_for("bulkhead_drifting", 0)
        (_, median), = self.ask("histogram_quantile(0.5, bulkhead_apply_duration_seconds_bucket)")
        self.assertTrue(0 < median <= 10, median)
        (_, age), = self.ask("time() - bulkhead_last_look_timestamp_seconds")
        self.assertLess(age, kept_host.PATIENCE)
        self.assertEqual([value for _, value in self.ask("node_textfile_scrape_error")], [0])
        done = subprocess.run(["promtool", "check", "metrics"], input=METRICS.read_text(), capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))


if __name__ == "__main__":
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing:
        print("not installed:", *missing)
        sys.exit(SKIPPED)
    kept_host.enter(SIM, "lab-amd-2ccd")
    unittest.main(argv=sys.argv[:1])

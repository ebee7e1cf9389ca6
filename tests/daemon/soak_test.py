#!/usr/bin/python3
"""bulkheadd for a long time: with a thousand who listen and one who asks, while services restart; and left alone.

    soak_test.py FOLDER-OF-PROGRAMS [CLASS[.TEST]...]

SOAK_SECONDS in the environment says how long; 300 without it.
"""

import os
import statistics
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from simulated_daemon import RESCTRL, Api, DaemonTest, eventually, masks, policy, run_on_simulated_hosts, threads_of

SECONDS = int(os.environ.get("SOAK_SECONDS", "300"))
LISTENERS = 1000
REQUESTS_PER_SECOND = 100
LARGEST_RSS = 12 << 20


class Soak(DaemonTest):
    machine = "epyc-9965-nps2"

    def setUp(self):
        super().setUp()
        self.start()
        self.watcher = self.api()
        self.watcher.socket.settimeout(60)
        self.watcher.subscribe("drift.found", "reconcile.failed")
        looks = self.looks()
        self.watcher.call("policy.apply", text=policy())
        self.settle(looks)

    def of_process(self, name):
        with open(f"/proc/{self.daemon.pid}/status", encoding="utf-8") as status:
            return next(line.split()[1] for line in status if line.startswith(name + ":"))

    def rss(self):
        return int(self.of_process("VmRSS")) << 10

    def switches(self):
        """Times that a thread of the daemon stopped or began to run."""
        total = 0
        for task in os.listdir(f"/proc/{self.daemon.pid}/task"):
            with open(f"/proc/{self.daemon.pid}/task/{task}/status", encoding="utf-8") as status:
                total += sum(int(line.split()[1]) for line in status if "ctxt_switches" in line)
        return total

    def drift_once(self, number):
        """Seconds from a foreign write until it is mended; it must have been told."""
        ccd = number % 4
        begun = time.monotonic()
        (RESCTRL / "bulkhead.proxy/schemata").write_text(f"L3:{ccd}={1 + number % 2}\n")
        finding = self.watcher.event("drift.found")["findings"][0]
        self.assertEqual((finding["kind"], finding["ccd"]), ("mask", ccd))
        eventually(lambda: masks("bulkhead.proxy")[str(ccd)] == "00ff", "it is mended", 400)
        return time.monotonic() - begun

    def ask(self, ended, latencies):
        api = Api(self.socket)
        due = time.monotonic()
        while not ended.is_set():
            begun = time.monotonic()
            latencies.append((api.answer("state.status"), time.monotonic() - begun)[1])
            due += 1 / REQUESTS_PER_SECOND
            time.sleep(max(0, due - time.monotonic()))
        api.close()

    def restart_services(self, ended):
        while not ended.is_set():
            for name in ("proxy", "bulk"):
                person = self.person(cgroup=name)
                eventually(lambda: person.pid in threads_of("bulkhead." + name), f"{name} is in its group", 60)
                person.kill()
                person.wait()
            time.sleep(0.5)

    def test_many_listen_one_asks_and_services_restart(self):
        listeners = [Api(self.socket) for _ in range(LISTENERS)]
        self.apis += listeners
        for listener in listeners:
            listener.subscribe("policy.reset")
        ended, latencies, delays, rss = threading.Event(), [], [], []
        workers = [threading.Thread(target=self.ask, args=(ended, latencies)),
                   threading.Thread(target=self.restart_services, args=(ended,))]
        for worker in workers:
            worker.start()
        begun = time.monotonic()
        try:
            while time.monotonic() - begun < SECONDS:
                delays.append(self.drift_once(len(delays)))
                rss.append(self.rss())
                time.sleep(62 if SECONDS > 200 else 5)  # so that each is the first for a while
        finally:
            ended.set()
            for worker in workers:
                worker.join()
        took = time.monotonic() - begun
        print(f"\n{len(latencies) / took:.0f} requests/s, median {statistics.median(latencies) * 1e6:.0f} us; "
              f"{len(delays)} drifts, told and mended within {max(delays):.2f} s, first ones {delays[0]:.2f} s; "
              f"RSS {rss[0] >> 10} to {rss[-1] >> 10} KiB", file=sys.stderr)
        self.assertLess(rss[-1] - rss[len(rss) // 3], 1 << 20)
        self.assertNotIn("reconcile.failed", self.watcher.kinds_so_far())

    def test_left_alone_it_sleeps(self):
        self.person(cgroup="proxy")
        self.settle()
        time.sleep(1)
        before = self.switches()
        time.sleep(20)
        self.assertEqual(self.switches(), before)
        print(f"\nRSS {self.rss() >> 10} KiB, of it anonymous {self.of_process('RssAnon')} KiB", file=sys.stderr)
        self.assertLess(self.rss(), LARGEST_RSS)


if __name__ == "__main__":
    run_on_simulated_hosts(__name__)

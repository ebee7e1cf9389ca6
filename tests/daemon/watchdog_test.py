#!/usr/bin/python3
"""What systemd's watchdog hears of bulkheadd.

    watchdog_test.py FOLDER-OF-PROGRAMS [CLASS[.TEST]...]
"""

import contextlib
import fcntl
import json
import os
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from simulated_daemon import DaemonTest, fault_library, policy, run_on_simulated_hosts


class Watchdog(DaemonTest):
    """As a service manager hears it."""
    PERIOD = 0.9  # seconds

    def begin(self, **environment):
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.manager.close)
        self.manager.settimeout(0.02)
        self.manager.bind(str(self.folder / "notify"))
        self.start(env={**os.environ, "NOTIFY_SOCKET": str(self.folder / "notify"),
                        "WATCHDOG_USEC": str(int(self.PERIOD * 1e6)), **environment})

    def silences(self, act):
        """How long nothing was heard, each time, while that was done."""
        def listen():
            while not done.is_set():
                with contextlib.suppress(TimeoutError):
                    if self.manager.recv(4096) == b"WATCHDOG=1":
                        heard.append(time.monotonic())

        done, heard = threading.Event(), [time.monotonic()]
        listener = threading.Thread(target=listen)
        listener.start()
        act()
        done.set()
        listener.join()
        heard.append(time.monotonic())
        return [later - earlier for earlier, later in zip(heard, heard[1:])]

    def test_it_hears_from_a_daemon_that_many_keep_busy(self):
        self.begin()
        plan = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "policy.plan", "params": {"text": policy()}}).encode() + b"\n"

        def crowd():
            people = [self.api() for _ in range(4)]
            refused, end = 0, time.monotonic() + 2 * self.PERIOD
            for person in people:
                person.socket.sendall(plan * 32)
            while time.monotonic() < end:
                for person in people:
                    refused += person.message().get("error", {}).get("message") == "too many requests wait already: try again later"
                    person.socket.sendall(plan)
            self.assertGreater(refused, 0)

        silences = self.silences(crowd)
        self.assertLess(max(silences), self.PERIOD)
        self.assertGreaterEqual(len(silences), 5)

    def test_it_hears_from_one_that_makes_a_long_change(self):
        library = fault_library(self.folder)
        self.begin(LD_PRELOAD=library, FAULT="slow", FAULT_ON="L3:", ASAN_OPTIONS="verify_asan_link_order=0")
        services = {f"s{ways}": {"select": {"cgroup": f"/s{ways}"}, "l3": {"ways": ways}} for ways in range(1, 9)}
        api = self.api()
        silences = self.silences(lambda: api.call("policy.apply", text=policy(**services)))
        self.assertGreater(sum(silences), 2 * self.PERIOD)
        self.assertLess(max(silences), self.PERIOD)

    def test_it_hears_nothing_from_one_that_hangs(self):
        self.begin()
        with open(self.run / "lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            caller = threading.Thread(target=self.api().call, args=("policy.apply",), kwargs={"text": policy()})
            caller.start()
            silences = self.silences(lambda: time.sleep(1.5 * self.PERIOD))
        caller.join()
        self.assertGreater(max(silences), self.PERIOD)
        self.assertGreaterEqual(len(self.silences(lambda: time.sleep(3 * self.PERIOD))), 2, "it is heard again")


if __name__ == "__main__":
    run_on_simulated_hosts(__name__)

#!/usr/bin/python3
"""bulkheadd is killed before each call that changes something; started again it has the host as before or as wanted.

    kill_test.py FOLDER-OF-PROGRAMS [CLASS[.TEST]...]

With EVERY_CALL in the environment really each one, else every ninth.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from simulated_daemon import (CGROUP, RESCTRL, DaemonTest, eventually, fault_library, host_state, policy,
                              run_on_simulated_hosts, threads_of)

STRIDE = 1 if "EVERY_CALL" in os.environ else 9
NEVER = 10_000  # calls
SERVICES = ("proxy", "bulk", "web", "cache", "batch", "log")


def wants(name, ways, first_ccd):
    """Each service has two CCDs, and so many ways there."""
    return policy(name, **{
        service: {"select": {"cgroup": "/" + service}, "l3": {"ways": count},
                  "cpus": {"ccds": f"{(first_ccd + 2 * place) % 12}-{(first_ccd + 2 * place) % 12 + 1}"}}
        for place, (service, count) in enumerate(ways.items())})


FIRST = wants("first", dict(zip(SERVICES, (8, 2, 3, 4, 5, 6))), 0)
SECOND = wants("second", {"proxy": 5, "cache": 4, "log": 7, "web": 1}, 2)


class Killed(DaemonTest):
    @classmethod
    def setUpClass(cls):
        cls.library_folder = tempfile.TemporaryDirectory()
        cls.library = fault_library(cls.library_folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.library_folder.cleanup()

    def setUp(self):
        super().setUp()
        (CGROUP / "cgroup.subtree_control").write_text("+cpuset")
        self.services = {name: self.person(cgroup=name) for name in SERVICES}
        for name in SERVICES:  # else nobody could empty them again while processes are there
            (CGROUP / name / "cpuset.cpus").write_text("0-23")
            (CGROUP / name / "cpuset.mems").write_text("0-1")
        self.stranger = self.person()
        os.mkdir(RESCTRL / "theirs")
        os.mkdir(RESCTRL / "theirs/mon_groups/counted")
        (RESCTRL / "theirs/schemata").write_text("L3:0=8000;7=8000\n")
        (RESCTRL / "theirs/tasks").write_text(str(self.stranger.pid))
        self.addCleanup(self.strangers_leave)
        self.log = self.folder / "log"
        self.start()
        self.before = self.placed_state()
        self.begin()
        self.first = self.placed_state()
        self.apply(SECOND)
        self.second = self.placed_state()
        self.stop()

    def begin(self):
        """The first policy; what came before it left nothing."""
        self.reset()
        self.apply(FIRST)

    def strangers_leave(self):
        self.stranger.kill()
        self.stranger.wait()
        os.rmdir(RESCTRL / "theirs/mon_groups/counted")
        os.rmdir(RESCTRL / "theirs")

    def placed_state(self):
        """The host, and where each of the processes is."""
        state = host_state()
        for name, person in {**self.services, "stranger": self.stranger}.items():
            with open(f"/proc/{person.pid}/cpu_resctrl_groups", encoding="utf-8") as groups:
                state[name] = groups.read()
        return state

    def start_and_die(self, call, act):
        """Whether the daemon is killed at that call, at its start or while it does what `act` asks for."""
        environment = {**os.environ, "LD_PRELOAD": self.library, "FAULT": "kill", "FAULT_AT": str(call),
                       "ASAN_OPTIONS": "verify_asan_link_order=0"}
        with open(self.log, "ab") as log:
            self.daemon = subprocess.Popen(self.command(), stderr=log, env=environment)
        eventually(lambda: self.answers() or self.daemon.poll() is not None, "it answers or is dead")
        with contextlib.suppress(OSError, EOFError):
            if self.daemon.poll() is None:
                act()
        self.daemon.terminate()  # if it lives
        status = self.daemon.wait()
        self.assertIn(status, (0, -signal.SIGKILL), self.said())
        return status != 0

    def sweep(self, begin, act, ends):
        """How many calls there are; `ends` are the states in which a killed one may leave the host, by policy in force."""
        reached = set()
        for call in range(1, NEVER, STRIDE):
            self.start()
            begin()
            self.stop()
            if not self.start_and_die(call, act):
                break
            reached.add(self.check_after(f"killed before call {call}", ends))
            self.stop()
        print(f"{(call - 1) // STRIDE} times killed", file=sys.stderr)
        self.assertEqual(reached, set(ends))
        return call - 1

    def check_after(self, when, ends):
        """What is in force once the daemon runs again; the host is exactly so."""
        self.start()
        api = self.api()
        in_force = api.call("policy.active")["policy"]
        self.assertIn(in_force, ends, when)
        state = self.placed_state()
        differing = {name: (state.get(name), ends[in_force].get(name)) for name in {*state, *ends[in_force]}
                     if state.get(name) != ends[in_force].get(name)}
        self.assertEqual(differing, {}, when)
        if in_force:
            self.assertEqual(api.call("state.verify")["findings"], [], when)
        self.assertFalse((self.run / "journal").exists(), when)
        return in_force

    def apply(self, text):
        self.api().call("policy.apply", text=text)

    def reset(self):
        self.api().call("policy.reset")

    def test_change_of_policy(self):
        calls = self.sweep(self.begin, lambda: self.apply(SECOND), {"first": self.first, "second": self.second})
        self.assertGreaterEqual(calls, 30)

    def test_first_policy(self):
        calls = self.sweep(self.reset, lambda: self.apply(FIRST), {None: self.before, "first": self.first})
        self.assertGreaterEqual(calls, 45)

    def test_reset(self):
        calls = self.sweep(self.begin, self.reset, {"first": self.first, None: self.before})
        self.assertGreaterEqual(calls, 30)

    def test_restoring_after_a_reboot(self):
        def reboot():
            self.begin()
            self.stop()
            active = self.state / "active.json"
            remembered = active.read_text()
            self.start()
            self.reset()
            self.stop()
            active.write_text(remembered.replace('"boot": "', '"boot": "not-'))

        calls = self.sweep(reboot, lambda: None, {"first": self.first})
        self.assertGreaterEqual(calls, 45)

    def test_repair(self):
        def disturb():
            self.begin()
            self.stop()
            (RESCTRL / "bulkhead.proxy/schemata").write_text("L3:0=1;1=7\n")
            os.rmdir(RESCTRL / "bulkhead.bulk")
            (CGROUP / "web/cpuset.cpus").write_text("0-1\n")
            (RESCTRL / "tasks").write_text(str(self.services["proxy"].pid))

        calls = self.sweep(disturb, lambda: None, {"first": self.first})
        self.assertGreaterEqual(calls, 20)
        self.assertEqual(threads_of("bulkhead.proxy"), {self.services["proxy"].pid})


if __name__ == "__main__":
    run_on_simulated_hosts(__name__)

#!/usr/bin/python3
"""What is told to a simulator from outside, how it ends, and what is left then.

    life_test.py BULKHEAD-SIM BULKHEAD [CLASS[.TEST]...]
"""

import os
import signal
import socket as stdlib_socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from simulator import SIM, SMALL, main, mounts, sim


class Control(unittest.TestCase):
    def test_the_outside_sets_counters_breaks_files_and_unplugs(self):
        with tempfile.TemporaryDirectory() as folder:
            socket = folder + "/control"
            done = sim(SMALL, f"""
                tell() {{ {SIM} --tell {socket} "$1"; echo "$?"; }}
                tell 'counter / 3 mbm_total_bytes 1000'; cat /sys/fs/resctrl/mon_data/mon_L3_03/mbm_total_bytes
                tell 'fault read *schemata EIO'; cat /sys/fs/resctrl/schemata 2>&1 >/dev/null
                tell 'offline 3'; cat /sys/devices/system/cpu/online; tell nonsense""", "--control", socket)
            self.assertEqual(done.stdout.split("\n")[:-1],
                             ["ok", "0", "64000", "ok", "0", "cat: /sys/fs/resctrl/schemata: Input/output error",
                              "ok", "0", "0-2,4-23", "error: no command 'nonsense'", "1"], done.stderr)
            self.assertFalse(os.path.exists(socket))

    def test_it_is_not_where_nobody_could_reach_it(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink("/mnt", folder + "/link")
            for path, covering in (("/mnt/c", "/mnt"), ("/run/c", "/run"), (folder + "/link/c", "/mnt"), ("/tmp/../sys/c", "/sys")):
                done = sim(SMALL, "true", "--control", path)
                self.assertEqual((done.returncode, done.stderr), (
                    2, f"bulkhead-sim: the control socket cannot be below {covering}, where the simulated host has files of "
                    f"its own: take a folder like /tmp, not {path}\n"))

    def test_nonsense_is_refused_and_nobody_is_held_up(self):
        with tempfile.TemporaryDirectory() as folder:
            socket = folder + "/control"
            with stdlib_socket.socket(stdlib_socket.AF_UNIX) as dead:
                dead.bind(socket)  # what a killed simulator leaves
            done = sim(SMALL, f"""
                python3 -c 'import socket, time
s = socket.socket(socket.AF_UNIX); s.connect("{socket}"); print("silent", flush=True); open("{folder}/ready", "w"); time.sleep(60)' &
                while ! [ -e {folder}/ready ]; do sleep 0.05; done
                tell() {{ {SIM} --tell {socket} "$1"; }}
                tell 'pass 99999999'; tell 'pass 3'; tell 'counter / 0 nosuch 1'; tell 'counter / 99 llc_occupancy 1'
                tell 'counter rmid=4096 0 llc_occupancy 1'; {SIM} {SMALL} --control {socket} -- true 2>&1; echo $?""",
                       "--control", socket)
            self.assertEqual(done.stdout.splitlines(), [
                "silent", "error: at most 3600 seconds pass at once", "ok",
                "error: 'nosuch' is no event of this host: llc_occupancy, mbm_total_bytes, mbm_local_bytes",
                "error: there is no domain 99", "error: this host has RMIDs 0 to 255",
                f"bulkhead-sim: another simulated host listens at {socket}", "1"], done.stderr)


class Endings(unittest.TestCase):
    def test_the_status_is_the_commands(self):
        self.assertEqual(sim(SMALL, "exit 7").returncode, 7)
        self.assertEqual(sim(SMALL, "kill -9 $$").returncode, 128 + signal.SIGKILL)
        missing = subprocess.run([SIM, SMALL, "--", "/no/such/program"], capture_output=True, text=True, check=False)
        self.assertEqual((missing.returncode, missing.stderr),
                         (127, "bulkhead-sim: cannot run /no/such/program: No such file or directory\n"))

    def test_nothing_is_left_whatever_the_command_did(self):
        before = mounts()
        sim(SMALL, "sleep 1000 & mkdir /sys/fs/resctrl/a; mount -t tmpfs tmpfs /tmp; kill -9 $$")
        self.assertEqual(mounts(), before)

    def test_a_killed_simulator_takes_all_with_it(self):
        before = mounts()
        mark = f"3{os.getpid()}"  # seconds that nobody else sleeps
        running = subprocess.Popen([SIM, SMALL, "--", "sleep", mark])
        self.assertTrue(self.eventually(lambda: self.sleeps(mark)))
        running.kill()
        running.wait()
        self.assertTrue(self.eventually(lambda: not self.sleeps(mark)))
        self.assertEqual(mounts(), before)

    def test_signals_are_passed_on(self):
        with tempfile.TemporaryDirectory() as folder:
            running = subprocess.Popen([SIM, SMALL, "--", "sh", "-c",
                                        f"trap 'exit 9' TERM; touch {folder}/up; while :; do sleep 0.1; done"])
            self.assertTrue(self.eventually(lambda: os.path.exists(folder + "/up")))
            running.terminate()
            self.assertEqual(running.wait(timeout=10), 9)

    def test_users_are_told_what_it_takes(self):
        done = sim(SMALL, "true", user=65534, group=65534)
        self.assertEqual(done.returncode, 5)
        self.assertIn("cannot make namespaces: run as root (sudo bulkhead-sim ...)", done.stderr)

    def test_a_missing_file_is_a_wrong_one(self):
        done = sim(SMALL, "true", "--services", "/no/such/file")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertEqual(sim("/no/such/machine.json", "true").returncode, 3)

    def test_who_is_root_of_a_user_namespace_only_is_told_what_it_takes(self):
        done = subprocess.run(["unshare", "-Ur", SIM, SMALL, "--", "true"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("run as root of this host (sudo bulkhead-sim ...)", done.stderr)

    def test_wrong_words_are_usage(self):
        for words, message in ((["nosuch", "--", "true"], "nosuch"), ([SMALL], "name a command after --"),
                               ([SMALL, "--kernel", "5.4", "--", "true"], "there is no model of Linux 5.4"),
                               ([SMALL, "--speed", "0", "--", "true"], "the speed is more than 0")):
            done = subprocess.run([SIM, *words], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(message, done.stderr)

    @staticmethod
    def sleeps(mark):
        return subprocess.run(["pgrep", "-fx", f"sleep {mark}"], capture_output=True, check=False).returncode == 0

    @staticmethod
    def eventually(holds):
        for _ in range(200):
            if holds():
                return True
            time.sleep(0.05)
        return False


if __name__ == "__main__":
    main()

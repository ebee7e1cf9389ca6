#!/usr/bin/python3
"""bulkheadd starts, ends, starts again, and finds what is left or broken.

    life_test.py FOLDER-OF-PROGRAMS [CLASS[.TEST]...]
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from simulated_daemon import (PATIENCE, DaemonTest, eventually, fault_library, host_state, masks, policy, run_on_simulated_hosts,
                              threads_of, write_mask)

IMPOSSIBLE = {"proxy": {"select": {"cgroup": "/proxy"}, "cpus": {"ccds": "40"}}}


class Life(DaemonTest):
    """Starting, reading again, ending."""

    def setUp(self):
        super().setUp()
        self.file = self.folder / "policy.json"
        self.file.write_text(policy())

    def test_a_start_adopts_and_an_end_leaves_the_host_as_it_is(self):
        person = self.person(cgroup="proxy")
        self.assertEqual(self.bulkhead("apply", "--yes", self.file).returncode, 0)
        applied = host_state()
        self.start()
        self.assertEqual(self.api().call("policy.active")["generation"], 1)
        self.assertEqual(self.stop(), 0)
        self.assertFalse(self.socket.exists())
        self.assertEqual(host_state(), applied)
        self.assertEqual(threads_of("bulkhead.proxy"), {person.pid})
        # Where there is no PMU, that is all it has to say.
        self.assertEqual([line for line in self.said().splitlines() if " are not counted" not in line], [])

    def test_the_next_one_mends_what_changed_meanwhile(self):
        self.start()
        self.api().call("policy.apply", text=policy())
        self.stop()
        write_mask("bulkhead.proxy", "L3:1=f")
        self.start()
        self.assertEqual(masks("bulkhead.proxy")["1"], "00ff")  # before it answers
        self.assertIn("drift: L3 mask of group bulkhead.proxy on CCD 1: expected ff, found f\n", self.said())

    def test_after_a_reboot_the_policy_is_put_in_force_again(self):
        self.start()
        self.api().call("policy.apply", text=policy(), name="/etc/policy.json")
        self.stop()
        active = self.state / "active.json"
        remembered = active.read_text()
        self.assertEqual(self.bulkhead("reset", "--yes").returncode, 0)
        self.start()
        self.assertEqual(self.api().call("policy.active")["policy"], None)  # somebody has reset it on this boot
        self.stop()
        boot = json.loads(remembered)["boot"]
        self.assertEqual(boot, pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip())
        active.write_text(remembered.replace(boot, "another"))
        self.start()
        in_force = self.api().call("policy.active")
        self.assertEqual((in_force["policy"], in_force["file"], in_force["generation"]), ("halves", "/etc/policy.json", 2))
        self.assertEqual(masks("bulkhead.proxy")["1"], "00ff")
        self.assertEqual([line["action"] for line in self.audit()], ["policy.apply", "policy.restore"])
        self.assertEqual(json.loads(active.read_text())["boot"], boot)

    def test_what_cannot_be_put_in_force_after_a_reboot_is_not_forgotten(self):
        self.state.mkdir()
        active = {"bulkhead_active": 1, "generation": 7, "policy_file": "far.json", "applied_at": "", "boot": "another",
                  "policy_text": policy(**IMPOSSIBLE)}
        (self.state / "active.json").write_text(json.dumps(active))
        for _ in range(2):
            self.start()
            self.assertEqual(self.api().call("policy.active"), {"policy": None, "generation": 7})
            self.stop()
            self.assertEqual(json.loads((self.state / "active.json").read_text()), active)
        self.assertEqual(self.said().count("bulkheadd: far.json stays out of force: "), 2)
        self.assertEqual([(line["action"], line["from"], line["to"]) for line in self.audit()], [("policy.restore", 7, 7)] * 2)
        self.assertEqual(host_state(), self.before)

    def test_files_that_make_no_sense_are_set_aside(self):
        self.start()
        self.api().call("policy.apply", text=policy())
        self.stop()
        (self.run / "state.json").write_text("{")
        (self.state / "active.json").write_text('{"bulkhead_active": 2}')
        self.start()
        said = self.said()
        self.assertIn(f"it is now in {self.run}/state.json.set-aside, and with it how the host was before the first apply", said)
        self.assertIn(f"what was in force cannot be read; it is now in {self.state}/active.json.set-aside", said)
        self.assertEqual((self.run / "state.json.set-aside").read_text(), "{")
        self.assertEqual(self.api().call("policy.active")["policy"], None)
        self.api().call("policy.apply", text=policy())
        self.assertEqual(self.api().call("state.verify")["holds"], True)

    def test_even_where_they_are_no_files_and_some_are_set_aside_already(self):
        for folder, name in ((self.run, "state.json"), (self.state, "active.json")):
            (folder / name).mkdir(parents=True)
            (folder / f"{name}.set-aside").write_text("older")
        self.start()
        said = self.said()
        for path in (self.run / "state.json", self.state / "active.json"):
            self.assertIn(f"it is now in {path}.set-aside.1", said)
            self.assertEqual(pathlib.Path(f"{path}.set-aside").read_text(), "older")
        self.api().call("policy.apply", text=policy())
        self.assertEqual(self.stop(), 0)
        (self.run / "state.json").unlink()
        os.mkfifo(self.run / "state.json")  # nobody is waited for
        self.start()
        self.assertEqual(self.api().call("policy.active")["policy"], "halves")

    def test_who_asks_a_stopped_daemon_is_told_in_time(self):
        self.start()
        self.daemon.send_signal(signal.SIGSTOP)
        self.addCleanup(self.daemon.send_signal, signal.SIGCONT)
        asked = self.bulkhead("status", "--timeout", "300ms")
        self.daemon.send_signal(signal.SIGCONT)
        self.assertEqual((asked.returncode, asked.stdout), (1, ""))
        self.assertIn("the daemon has not answered state.status within 300 ms: it is stopped, hangs or has much to do", asked.stderr)

    def test_a_lost_state_brings_back_what_was_in_force(self):
        self.start()
        self.api().call("policy.apply", text=policy())
        self.stop()
        (self.run / "state.json").write_text("{")
        self.start()
        self.assertEqual(self.api().call("policy.active")["policy"], "halves")
        self.assertEqual(self.api().call("state.verify")["holds"], True)

    def test_the_policy_file_is_read_at_start_and_on_sighup(self):
        self.configure({"sweep": "60m", "policy": str(self.file)})
        self.start()
        watcher = self.api()
        watcher.subscribe()
        self.assertEqual(watcher.call("policy.active")["policy"], "halves")
        self.file.write_text(policy("second"))
        self.daemon.send_signal(signal.SIGHUP)
        self.assertEqual(watcher.event("policy.applied"), {"policy": "second", "generation": 2, "file": str(self.file)})
        self.daemon.send_signal(signal.SIGHUP)  # nothing new
        time.sleep(0.8)
        self.assertEqual(watcher.kinds_so_far(), [])
        self.assertEqual([line["action"] for line in self.audit()], ["policy.restore"] * 2)

    def test_broken_files_change_nothing_and_the_host_is_kept(self):
        self.configure({"sweep": "60m", "policy": str(self.file)})
        self.start()
        watcher = self.api()
        watcher.subscribe()
        for text, told in ((policy(**IMPOSSIBLE), f"{self.file} stays out of force: "), ('{"bulkhead": 1', "the policy file stays out")):
            self.file.write_text(text)
            self.daemon.send_signal(signal.SIGHUP)
            watcher.event("reconcile.failed")
            self.assertIn(f"bulkheadd: {told}", self.said())
            self.assertEqual(watcher.call("policy.active")["policy"], "halves")
            eventually(lambda: watcher.call("state.status").get("trouble", "").startswith(told), "it is in the status, too")
            write_mask("bulkhead.proxy", "L3:1=f")
            watcher.event("drift.repaired")
        self.file.write_text(policy())
        self.daemon.send_signal(signal.SIGHUP)
        eventually(lambda: "trouble" not in watcher.call("state.status"), "the policy file is in force")
        (self.folder / "config.json").write_text('{"bulkheadd": 1, "on_drfit": "report"}')
        self.daemon.send_signal(signal.SIGHUP)
        eventually(lambda: "the configuration stays as it was: " in self.said(), "it is told")
        self.assertIn('config.json:1:18: unknown key "on_drfit": did you mean "on_drift"?\n', self.said())
        write_mask("bulkhead.proxy", "L3:1=7")
        watcher.event("drift.repaired")

    def test_a_policy_file_that_others_may_write_is_refused(self):
        self.configure({"policy": str(self.file)})
        self.file.chmod(0o666)
        self.start()
        self.assertIn(f"the policy file stays out of force: {self.file} may be written by others: make it writable for its "
                      "owner only (chmod go-w)\n", self.said())
        self.assertEqual(self.api().call("policy.active")["policy"], None)
        self.assertEqual(host_state(), self.before)

    def test_a_second_one_on_the_same_socket_is_refused(self):
        self.start()
        second = subprocess.run(self.command(), capture_output=True, text=True, check=False, timeout=PATIENCE)
        self.assertEqual((second.returncode, second.stderr), (1, f"bulkheadd: a daemon listens on {self.socket} already\n"))
        self.assertTrue(self.answers())

    def test_check_says_what_is_wrong_and_does_nothing(self):
        def check():
            done = subprocess.run(self.command("--check"), capture_output=True, text=True, check=False, timeout=PATIENCE)
            return done.returncode, done.stdout, done.stderr

        self.configure({"policy": str(self.file)})
        self.assertEqual(check(), (0, "", ""))
        self.file.write_text('{"bulkhead": 1, "name": "x", "services": {"a": {"select": {"unit": "a"}, "l3": "0%"}}}')
        status, problems, _ = check()
        self.assertEqual(status, 3)
        self.assertTrue(problems.startswith(f"{self.file}:1:"), problems)
        (self.folder / "config.json").write_text('{"bulkheadd": 1, "sweep": "1 fortnight"}')
        self.assertEqual(check(), (3, f'{self.folder}/config.json:1:27: /sweep: "1 fortnight" is not a time from 100 ms to an '
                                   'hour: write "30s"\n', ""))
        self.configure({"metrics_file": "/nowhere/bulkhead.prom", "audit_log": str(self.folder)})
        self.assertEqual(check(), (3, f"{self.folder}/config.json: /metrics_file: there is no directory /nowhere\n"
                                   f"{self.folder}/config.json: /audit_log: {self.folder} is a directory\n", ""))
        (self.folder / "config.json").chmod(0o622)
        self.assertEqual(check(), (5, "", f"bulkheadd: {self.folder}/config.json may be written by others: make it writable "
                                   "for its owner only (chmod go-w)\n"))
        self.assertFalse(self.run.exists())

    def test_a_full_disk_is_told_and_the_host_is_kept(self):
        self.configure({"sweep": "60m", "audit_log": str(self.folder / "audit.log")})
        self.state.write_text("in the way")
        self.start()
        watcher = self.api()
        watcher.subscribe()
        applied = watcher.call("policy.apply", text=policy())
        self.assertEqual(applied["generation"], 1)
        trouble = watcher.call("state.status", fresh=True)["trouble"]
        self.assertTrue(trouble.startswith("what is in force would not outlive a reboot: "), trouble)
        self.assertIn(trouble, applied["notes"])
        self.settle()
        write_mask("bulkhead.proxy", "L3:1=f")
        watcher.event("drift.repaired")
        self.assertEqual(self.said().count("what is in force would not outlive a reboot: "), 1)

    def test_an_audit_log_that_cannot_be_written_is_in_the_status(self):
        log = self.folder / "audit.log"
        self.configure({"sweep": "60m", "audit_log": str(log)})
        log.mkdir()
        self.start()
        api = self.api()
        api.call("policy.apply", text=policy())
        self.assertEqual(api.call("state.status", fresh=True)["trouble"], f"cannot write {log}: Is a directory")
        log.rmdir()
        api.call("policy.reset")
        self.assertNotIn("trouble", api.call("state.status", fresh=True))

    def test_what_a_reboot_would_bring_back_is_told_where_a_reset_cannot_be_written_down(self):
        self.start()
        api = self.api()
        api.call("policy.apply", text=policy("first"))
        (self.state / "active.json.new").mkdir()
        note = api.call("policy.reset")["notes"][-1]
        self.assertTrue(note.startswith("first would come back at a reboot: "), note)
        self.assertEqual(api.call("state.status", fresh=True)["trouble"], note)
        (self.state / "active.json.new").rmdir()
        api.call("policy.apply", text=policy())
        self.assertNotIn("trouble", api.call("state.status", fresh=True))

    def test_who_waits_is_answered_before_it_ends(self):
        self.start(env={**os.environ, "LD_PRELOAD": fault_library(self.folder), "FAULT": "slow", "FAULT_ON": "L3:",
                        "ASAN_OPTIONS": "verify_asan_link_order=0"})
        api, late, answers = self.api(), self.api(), []
        caller = threading.Thread(target=lambda: answers.append(api.call("policy.apply", text=policy())))
        caller.start()
        eventually((self.run / "journal").exists, "the change has begun")
        late.socket.sendall(b'{"jsonrpc": "2.0", "id": 1, "method": "policy.reset"}\n')
        self.daemon.terminate()
        late.socket.sendall(b'{"jsonrpc": "2.0", "id": 2, "method": "state.verify"}\n')
        refused = sorted((late.message() for _ in range(2)), key=lambda answer: answer["id"])
        self.assertEqual([(answer["id"], answer["error"]["message"]) for answer in refused],
                         [(id, "the daemon is about to end: this was not begun; ask again when it runs again") for id in (1, 2)])
        self.assertEqual(self.daemon.wait(timeout=PATIENCE), 0)
        caller.join()
        self.assertEqual([answer["generation"] for answer in answers], [1])
        self.start()
        self.assertEqual(self.api().call("policy.active")["generation"], 1)


if __name__ == "__main__":
    run_on_simulated_hosts(__name__)

#!/usr/bin/python3
"""Who may ask bulkheadd for what.

    callers_test.py FOLDER-OF-PROGRAMS [CLASS[.TEST]...]
"""

import grp
import json
import os
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from simulated_daemon import PROGRAMS, DaemonTest, policy, run_on_simulated_hosts, write_mask


class Callers(DaemonTest):
    """Who may do what. Users and groups are those of every Debian."""

    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)
        self.configure({"admin_group": "daemon", "read_group": "games"})
        self.start()

    def ask(self, request, **who):
        """All that a user gets as answer, by line."""
        script = """if True:
            import socket, sys
            peer = socket.socket(socket.AF_UNIX)
            peer.connect(sys.argv[1])
            peer.settimeout(20)
            try: peer.sendall(sys.argv[2].encode() + b"\\n"); peer.shutdown(socket.SHUT_WR)
            except BrokenPipeError: pass
            while data := peer.recv(65536): sys.stdout.write(data.decode())"""
        done = subprocess.run(["/usr/bin/python3", "-c", script, self.socket, request], capture_output=True, text=True,
                              check=False, user=65534, group=65534, **who)
        self.assertEqual(done.stderr, "")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_others_get_one_refusal_and_learn_nothing(self):
        self.api().call("policy.apply", text=policy("secret"))
        answers = [self.ask(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method}), extra_groups=[])
                   for method in ("policy.active", "no.such.method", "rpc.discover")]
        self.assertEqual(len(answers[0]), 1)
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(answers[0], answers[2])
        self.assertEqual(answers[0][0]["error"]["data"]["code"], "permission")
        self.assertNotIn("secret", json.dumps(answers[0]))
        self.assertTrue(self.answers())

    def test_readers_look_and_admins_change(self):
        apply = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "policy.apply", "params": {"text": policy()}})
        look = '{"jsonrpc": "2.0", "id": 2, "method": "policy.active"}'
        reader, admin = ([grp.getgrnam(name).gr_gid] for name in ("games", "daemon"))
        self.assertEqual(self.ask(apply, extra_groups=reader)[0]["error"]["message"],
                         "policy.apply is for root and the admin group; user 65534 may only look")
        self.assertEqual(self.ask(look, extra_groups=reader)[0]["result"], {"policy": None, "generation": 0})
        self.assertEqual(self.ask(apply, extra_groups=admin)[0]["result"]["generation"], 1)
        self.assertEqual(self.ask(look, extra_groups=reader)[0]["result"]["policy"], "halves")
        self.assertEqual([(line["action"], line["uid"]) for line in self.audit()], [("policy.apply", 65534)])

    def test_readers_watch_and_verify_through_the_daemon(self):
        self.person(cgroup="proxy")
        self.api().call("policy.apply", text=policy())
        reader = {"user": 65534, "group": 65534, "extra_groups": [grp.getgrnam("games").gr_gid]}

        def bulkhead(*words, **who):
            return subprocess.run([PROGRAMS / "bulkhead", *words, "--runtime-dir", self.run], capture_output=True, text=True,
                                  check=False, timeout=60, **who)

        watched = bulkhead("watch", "--once", "--every", "300ms", **reader)
        self.assertEqual((watched.returncode, watched.stderr), (0, ""))
        self.assertRegex(watched.stdout, r"^halves  as planned  \S+\n\n")
        self.assertRegex(watched.stdout, r"(?m)^  bulkhead\.proxy +proxy ")
        line = json.loads(bulkhead("watch", "--once", "--json", "--every", "300ms", **reader).stdout)
        here = json.loads(bulkhead("watch", "--once", "--json", "--every", "300ms").stdout)
        self.assertEqual([group["group"] for group in line["groups"]], [group["group"] for group in here["groups"]])
        for one in line, here:  # what passed, not what was asked for
            self.assertGreaterEqual(one["interval_seconds"], 0.29)
            self.assertRegex(one["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        verified = bulkhead("verify", "--for", "1s", **reader)
        self.assertEqual(verified.stderr, "")
        self.assertRegex(verified.stdout, r"(?s)^halves holds: .*\nbehaviour over 1 s: holds")
        verdict = json.loads(bulkhead("verify", "--for", "1s", "--json", **reader).stdout)
        self.assertEqual((verdict["findings"], verdict["behaviour"]["seconds"]), ([], 1.0))
        self.assertIsNone(verdict["behaviour"]["uncounted"])
        self.assertTrue({"judgements", "counts", "uncounted"}.isdisjoint(verdict))
        others = bulkhead("watch", "--once", user=65534, group=65534, extra_groups=[])
        self.assertEqual((others.returncode, others.stdout), (5, ""))

    def test_readers_who_ask_and_ask_delay_no_repair(self):
        self.person(cgroup="proxy")
        watcher = self.api()
        watcher.subscribe("drift.repaired")
        watcher.call("policy.apply", text=policy())
        self.settle()
        plan = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "policy.plan", "params": {"text": policy()}}).encode() + b"\n"
        crowd = [self.api() for _ in range(4)]
        for one in crowd:
            one.socket.sendall(plan * 32)
        write_mask("bulkhead.proxy", "L3:1=f")
        start = time.monotonic()
        watcher.event("drift.repaired")
        repaired = time.monotonic() - start
        for one in crowd:
            for _ in range(32):
                one.message()
        self.assertLess(repaired, (time.monotonic() - start) / 2)


if __name__ == "__main__":
    run_on_simulated_hosts(__name__)

#!/usr/bin/python3
"""bulkheadd judges what caches really hold.

    behaving_test.py FOLDER-OF-PROGRAMS [CLASS[.TEST]...]
"""

import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from simulated_daemon import PROGRAMS, RESCTRL, DaemonTest, eventually, policy, run_on_simulated_hosts, write_mask


class Behaving(DaemonTest):
    """Modelled services, in slow motion: caches take long enough to empty that it can be watched."""

    host_options = ("--services", "tests/support/two_services.json", "--speed", "0.2")
    config = {"sweep": "60m", "on_drift": "report"}

    def batch(self, l3):
        wants = {"batch": {"select": {"unit": "batch.service"}, "cpus": "all", "l3": l3}}
        return json.dumps({"bulkhead": 1, "name": "squeeze", "services": wants, "verify": {"settle": "5m", "occupancy_slack": "60%"}})

    def counters(self):
        return {(group["group"], ccd["ccd"]): ccd for group in self.watcher.call("counters.read")["groups"]
                for ccd in group["ccds"]}

    def test_a_neighbour_is_squeezed_out_and_a_wider_mask_is_told(self):
        self.start()
        self.watcher = self.api()
        self.watcher.subscribe("behaviour.changed", "drift.found")
        self.watcher.call("policy.apply", text=self.batch("100%"))
        full = 9 << 20
        eventually(lambda: self.counters()["bulkhead.batch", 3]["llc_occupancy"] > full, "its lines fill the cache", 60)
        self.watcher.call("policy.apply", text=self.batch({"ways": 2}))
        found = {}
        while list(found.values()).count("holds") < 12:
            for one in self.watcher.event("behaviour.changed")["judgements"]:
                self.assertEqual((one["kind"], one["group"], one["expected"]), ("occupancy", "bulkhead.batch", "at most 4.0 MiB"))
                self.assertEqual(one["before"], found.get(one["ccd"]))
                found[one["ccd"]] = one["verdict"]
                if one["before"] is None:
                    self.assertEqual(one["verdict"], "not settled")
        write_mask("bulkhead.batch", "L3:3=ffff")
        begun = time.monotonic()
        self.assertEqual([one["message"] for one in self.watcher.event("drift.found")["findings"]],
                         ["L3 mask of group bulkhead.batch on CCD 3: expected 3, found ffff"])
        print(f"told after {time.monotonic() - begun:.2f} s", file=sys.stderr)
        page = (self.folder / "bulkhead.prom").read_text(encoding="utf-8")
        self.assertIn('bulkhead_behaviour_judgements{kind="occupancy",verdict="holds"} 12\n', page)
        self.assertIn('bulkhead_mbm_bytes_total{group="bulkhead.batch",ccd="11"} ', page)

    def test_verify_tells_a_wider_mask_while_it_looks(self):
        text = self.batch({"ways": 2})
        (self.folder / "policy.json").write_text(text, encoding="utf-8")
        self.assertEqual(self.bulkhead("apply", "--yes", str(self.folder / "policy.json")).returncode, 0)
        looking = subprocess.Popen([PROGRAMS / "bulkhead", "verify", "--for", "5m", "--runtime-dir", self.run],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        write_mask("bulkhead.batch", "L3:3=ffff")
        begun = time.monotonic()
        for line in looking.stderr:
            if "L3 mask" in line:
                break
        print(f"told after {time.monotonic() - begun:.2f} s", file=sys.stderr)
        self.assertRegex(line, r"^bulkhead: after \d+ s: L3 mask of group bulkhead.batch on CCD 3: expected 3, found ffff\n$")
        looking.kill()
        looking.wait()
        looking.stderr.close()


class Assigning(DaemonTest):
    """Bandwidth counters are few, and somebody has them all."""

    machine = "epyc-9965-nps2-smt-off"
    host_options = ("--kernel", "7")

    def test_who_lacks_counters_and_why_is_told(self):
        foreign = [RESCTRL / "mon_groups" / f"foreign{number}" for number in range(15)]
        for group in foreign:
            group.mkdir()
        self.start()
        api = self.api()
        api.call("policy.apply", text=json.dumps({"bulkhead": 1, "name": "few", "services": {
            "proxy": {"select": {"cgroup": "/proxy"}, "cpus": "all", "l3": "50%"}}}))
        verdict = api.call("state.verify", behaviour=True)
        self.assertEqual((verdict["counts"], verdict["uncounted"]), (
            True, "bandwidth of bulkhead.proxy is not counted in full on CCDs 0-11: 32 counters a CCD, 2 a group, are enough for 16 "
                  "groups, and on CCD 0 these have them: the default group, mon_groups/foreign0, mon_groups/foreign1, "
                  "mon_groups/foreign10, mon_groups/foreign11, mon_groups/foreign12, mon_groups/foreign13, "
                  "mon_groups/foreign14, 8 more"))
        said = self.bulkhead("verify", "--for", "1s")
        self.assertIn(verdict["uncounted"], " ".join(said.stdout.split()))
        self.assertEqual(api.call("counters.read")["uncounted"], verdict["uncounted"])
        watched = self.bulkhead("watch", "--once", "--json", "--every", "200ms")
        self.assertEqual(json.loads(watched.stdout)["uncounted"], verdict["uncounted"])
        for group in foreign:
            group.rmdir()
        eventually(lambda: api.call("state.verify", behaviour=True)["uncounted"] is None, "they are given those that are free", 60)


class Uncounted(DaemonTest):
    """A host that counts nothing for groups."""

    machine = "lab-cat-only"
    LACK = "resctrl counts neither occupancy nor bandwidth on this host: see bulkhead doctor"

    def test_it_is_said_wherever_counters_are_asked_for(self):
        self.start()
        api = self.api()
        api.call("policy.apply", text=json.dumps({"bulkhead": 1, "name": "cat", "services": {
            "proxy": {"select": {"cgroup": "/proxy"}, "cpus": "all", "l3": "50%"}}}))
        error = api.answer("counters.read")["error"]
        self.assertEqual((error["data"]["code"], error["message"]), ("unsupported", self.LACK))
        verdict = api.call("state.verify", behaviour=True)
        self.assertEqual((verdict["holds"], verdict["counts"], verdict["uncounted"]), (True, False, self.LACK))
        for words in ("watch", "--once"), ("watch", "--once", "--json"):
            watched = self.bulkhead(*words)
            self.assertEqual(watched.returncode, 5)
            self.assertIn(self.LACK, watched.stdout + watched.stderr)
        self.verify_for_a_while()
        self.stop()
        self.verify_for_a_while()

    def verify_for_a_while(self):
        said = self.bulkhead("verify", "--for", "1s")
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        self.assertIn(f"behaviour over 1 s: no data {self.LACK}: only CPUs were looked at, and no thread of a service ran",
                      " ".join(said.stdout.split()))
        found = json.loads(self.bulkhead("verify", "--for", "1s", "--json").stdout)
        self.assertEqual((found["holds"], found["behaviour"]["verdict"], found["behaviour"]["uncounted"]), (True, "no data", self.LACK))


class Watching(DaemonTest):
    """bulkhead watch, while the host changes; no daemon runs."""

    def lines(self, watch, least):
        return [json.loads(watch.stdout.readline()) for _ in range(least)]

    def test_what_changes_is_in_the_next_lines(self):
        (self.folder / "policy.json").write_text(policy(), encoding="utf-8")
        self.assertEqual(self.bulkhead("apply", "--yes", str(self.folder / "policy.json")).returncode, 0)
        watch = subprocess.Popen([PROGRAMS / "bulkhead", "watch", "--json", "--every", "300ms", "--runtime-dir", self.run],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        first = self.lines(watch, 2)[-1]
        self.assertTrue(first["holds"])
        write_mask("bulkhead.proxy", "L3:3=1")
        (RESCTRL / "foreign").mkdir()
        last = self.lines(watch, 3)[-1]  # the first may have been on its way
        self.assertFalse(last["holds"])
        self.assertIn("foreign", [group["group"] for group in last["groups"]])
        self.assertEqual(sorted({first["time"], last["time"]}), [first["time"], last["time"]])
        subprocess.run(["umount", "-l", RESCTRL], check=True)
        rest, said = watch.communicate(timeout=60)
        *rest, error = map(json.loads, rest.splitlines())
        self.assertLess(len(rest), 3)
        self.assertEqual((watch.returncode, said), (5, ""))
        self.assertEqual(error["error"]["message"], "there are no counters: resctrl is not mounted: run 'mount -t resctrl resctrl "
                                                    "/sys/fs/resctrl', or let bulkhead do it with --mount")


if __name__ == "__main__":
    run_on_simulated_hosts(__name__)

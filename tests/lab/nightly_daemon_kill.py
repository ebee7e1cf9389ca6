"""bulkheadd is killed before each call that changes something, and once it runs again the host has the old or the new
policy: self-test --nightly."""

import unittest

from bulkhead_lab import SMALL, guest
from test_kill import FOREIGN, OWNER, SHARING, STAND_IN

# That also where the old policy confined memory and the new one does not.
STAND_INS = {*STAND_IN, "-./proxy.slice/proxy.service/cpuset.mems:", "+./proxy.slice/proxy.service/cpuset.mems:0-1"}

ROUNDS = f"""
mkdir -p /etc/bulkhead
echo '{{"bulkheadd": 1, "sweep": "60m", "metrics_file": "/run/bulkhead.prom"}}' > /etc/bulkhead/bulkheadd.json

# The daemon has looked at the host, or ended: then its status is in /run/ended.
serve() {{ # [VARIABLE=VALUE...]
    rm -f /run/ended /run/bulkhead.prom
    (
        status=0
        env "$@" bulkheadd > /run/said 2>&1 || status=$?
        echo $status > /run/ended
    ) &
    await looked_or_ended
}}
looked_or_ended() {{ [ -e /run/bulkhead.prom ] || [ -e /run/ended ]; }}
ended() {{ [ -e /run/ended ]; }}
end_it() {{ ended || kill $(pidof bulkheadd) 2> /dev/null || true; await ended; }}

# What the rounds begin with, where no daemon runs.
nothing() {{ [ ! -e /run/bulkhead/state.json ] || bulkhead reset --yes > /dev/null 2>&1; }}
owner() {{ bulkhead apply --yes {OWNER} > /dev/null 2>&1; }}
disturbed() {{
    owner
    echo "L3:0=1" > $R/bulkhead.proxy/schemata
    rmdir $R/bulkhead.bulk
    echo 0 > $C/proxy.slice/proxy.service/cpuset.cpus
    echo $(pidof proxy) > $R/tasks
}}

# Killed at each call in turn, from its start to its end, until none is left.
rounds() {{ # BEGIN COMMAND...
    begin=$1
    shift
    n=0
    while :; do
        n=$((n + 1))
        $begin
        serve LD_PRELOAD="$FAULT_LIBRARY" FAULT=kill FAULT_AT=$n
        ended || bulkhead status > /dev/null 2>&1 || true  # what it still writes at its start may be the end
        sleep 0.3
        ended || "$@" > /dev/null 2>&1 || true
        end_it
        [ "$(cat /run/ended)" != 0 ] || break
        part "$n killed" cat /run/ended
        serve
        part "$n status" bulkhead status
        end_it
        part "$n said" cat /run/said
        part "$n left" echo /run/bulkhead/*
        save after
        part "$n from old" compare old after
        part "$n from new" compare new after
    done
    part rounds echo $((n - 1))
}}

world
"""


class Killed(unittest.TestCase):
    maxDiff = None

    def check(self, script, old, new, least):
        """`old` and `new` say what is in force then. How often it was each."""
        found = guest(ROUNDS + script, SMALL, timeout=2400)
        count = int(found["rounds"].text)
        self.assertGreaterEqual(count, least)
        ends = []
        for n in range(1, count + 1):
            with self.subTest(killed_before_call=n):
                status = found[f"{n} status"]
                self.assertEqual(found[f"{n} killed"].text, "137\n")
                self.assertEqual(status.status, 0, status.text + found[f"{n} said"].text)
                self.assertNotIn("/journal ", found[f"{n} left"].text + " ")
                ends.append("old" if old in status.lines else "new")
                self.assertIn(old if ends[-1] == "old" else new, status.lines)
                if "no policy is in force" not in status.lines:
                    self.assertIn("drift     none", status.lines)
                changed = found[f"{n} from {ends[-1]}"]
                self.assertNotRegex(changed.text, FOREIGN)
                self.assertLessEqual(set(changed.lines[2:]), STAND_INS)  # without diff's two lines of file names
        self.assertEqual(ends, sorted(ends, reverse=True), "new before old")
        print(f"{count} calls: {ends.count('old')} times the old policy, {ends.count('new')} times the new one")
        return set(ends)

    def test_first_policy(self):
        ends = self.check(f"""
            owner
            save new
            nothing
            save old
            rounds nothing bulkhead apply --yes {OWNER}
        """, "no policy is in force", "policy    owner", 40)
        self.assertEqual(ends, {"old", "new"})

    def test_change_of_policy(self):
        ends = self.check(f"""
            bulkhead apply --yes {SHARING} > /dev/null 2>&1
            save new
            owner
            save old
            rounds owner bulkhead apply --yes {SHARING}
        """, "policy    owner", "policy    sharing", 30)
        self.assertEqual(ends, {"old", "new"})

    def test_reset(self):
        ends = self.check("""
            owner
            save old
            nothing
            save new
            rounds owner bulkhead reset --yes
        """, "policy    owner", "no policy is in force", 25)
        self.assertEqual(ends, {"old", "new"})

    def test_repair(self):
        ends = self.check("""
            owner
            save old
            save new
            rounds disturbed true
        """, "policy    owner", "policy    owner", 10)
        self.assertEqual(ends, {"old"})


if __name__ == "__main__":
    unittest.main()

"""bulkhead is killed before each call that changes something, and the next start finishes the undo."""

import re
import unittest

from bulkhead_lab import SMALL, guest

OWNER = "tests/lab/policies/owner.json"
SHARING = "tests/lab/policies/sharing.json"
# A line of a group that is not ours.
FOREIGN = re.compile(r"^[-+]\./(mon_groups/)?theirs([\w/-]*/(schemata|size|tasks|mode|cpus|cpus_list):|.*/mon_groups)",
                     re.MULTILINE)
# Kernels up to 6.12 do not let this be emptied below a process: it names all nodes instead, and a note says so.
STAND_IN = "-./system.slice/database.service/cpuset.mems:", "+./system.slice/database.service/cpuset.mems:0-1"
NOTE = "bulkhead: this kernel does not let cpuset.mems of /system.slice/database.service be emptied while processes " \
       "are in it, so it names everything instead, which has the same effect"

ROUNDS = """
reset() { [ ! -e /run/bulkhead/state.json ] || bulkhead reset --yes > /dev/null 2>&1; }
owner() { bulkhead apply --yes tests/lab/policies/owner.json > /dev/null 2>&1; }

# Killed at each call in turn, until none is left. START brings what BEFORE says.
rounds() { # START BEFORE ARGUMENTS...
    start=$1 before=$2
    shift 2
    n=0
    while :; do
        n=$((n + 1))
        $start
        status=0
        with_fault kill $n "$@" || status=$?
        [ $status -ne 0 ] || break
        part "$n killed"
        echo "#= $status"
        part "$n status" bulkhead status
        part "$n left" echo /run/bulkhead/*
        state > /run/state-after
        part "$n changed" compare $before after
    done
    part rounds echo $((n - 1))
}
"""


class KillTest(unittest.TestCase):
    def check(self, found, least):
        """The rounds after which what had been begun was undone, and those after which it was done."""
        undone, done = [], []
        count = int(found["rounds"].text)
        self.assertGreaterEqual(count, least)
        for n in range(1, count + 1):
            with self.subTest(killed_before_call=n):
                self.assertEqual(found[f"{n} killed"].status, 137)
                self.assertEqual(found[f"{n} status"].status, 0, found[f"{n} status"].text)
                self.assertNotIn("/journal ", found[f"{n} left"].text + " ")
                self.assertNotRegex(found[f"{n} changed"].text, FOREIGN)
                changed = found[f"{n} changed"].lines[2:]  # without diff's two lines of file names
                (undone if set(changed) <= set(STAND_IN) else done).append(n)
        self.assertEqual(undone + done, list(range(1, count + 1)), "undone before done")
        return undone, done

    # The first three calls make the directory, write the journal and put it in its place: only then is there one.
    def said(self, found, n):
        return found[f"{n} status"].lines


class Killed(KillTest):
    def test_change_of_policy(self):
        found = guest(ROUNDS + f"world\nowner\nsave applied\nrounds owner applied apply --yes {SHARING}", SMALL)
        undone, done = self.check(found, 25)
        for n in undone:
            self.assertIn("policy    owner", self.said(found, n))
            self.assertIn("drift     none", self.said(found, n))
        self.assertEqual(sum(NOTE in self.said(found, n) for n in undone), 1)  # later rounds find all nodes named
        for n in undone[3:]:
            self.assertRegex(self.said(found, n)[0],
                             r"^bulkhead: the interrupted apply of sharing was undone \(\d+ steps\)$")
        for n in done:
            self.assertEqual(self.said(found, n)[0], "policy    sharing")
            self.assertIn("drift     none", self.said(found, n))

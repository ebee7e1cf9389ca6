"""The rest of test_kill.py: self-test --nightly."""

from bulkhead_lab import SMALL, guest
from test_kill import ROUNDS, KillTest


class KilledWhileResetting(KillTest):
    def test_reset(self):
        found = guest(ROUNDS + f"world\nowner\nsave applied\nrounds owner applied reset --yes", SMALL)
        undone, done = self.check(found, 20)
        for n in undone:
            self.assertIn("policy    owner", self.said(found, n))
            self.assertIn("drift     none", self.said(found, n))
        for n in undone[3:]:
            self.assertRegex(self.said(found, n)[0], r"^bulkhead: the interrupted reset was undone \(\d+ steps\)$")
        for n in done:
            self.assertEqual(self.said(found, n), ["no policy is in force"])

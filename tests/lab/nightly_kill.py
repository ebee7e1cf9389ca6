"""The rest of test_kill.py: self-test --nightly."""

from bulkhead_lab import SMALL, guest
from test_kill import OWNER, ROUNDS, KillTest


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


class KilledWhileApplying(KillTest):
    def test_apply(self):
        found = guest(ROUNDS + f"world\nrounds reset before apply --yes {OWNER}", SMALL)
        undone, done = self.check(found, 35)
        for n in undone:
            self.assertEqual(self.said(found, n)[-1], "no policy is in force")
            self.assertNotRegex(found[f"{n} left"].text, r"/state\.json\s")
        for n in undone[3:]:
            self.assertEqual(self.said(found, n)[0], "bulkhead: the interrupted apply of owner was undone (20 steps)")
        # The state is there, only the journal and what an interrupted write may have left of it are not removed yet.
        self.assertEqual(len(done), 2)
        self.assertEqual(self.said(found, done[0])[0], "policy    owner")
        self.assertIn("drift     none", self.said(found, done[0]))

"""Shares of caches that only some hardware has: code and data apart, masks without gaps, ways that devices fill."""

import unittest

from bulkhead_lab import SMALL, guest

LIFE = """
    foreigners WAY
    save before
    bh apply apply --yes /run/NAME.json
    save applied
    part schemata grep L3 $R/schemata $R/bulkhead.proxy/schemata
    bh verify verify
    part again strace -f -y -o /run/trace bulkhead apply --yes /run/NAME.json
    part written grep -E ' (p?write(64|v)?|mkdirat|unlinkat)\\(.*/sys/' /run/trace
    bh reset reset --yes
    save after
    part changed compare before after
    part left left_over
    part foreign compare_foreign before applied
"""


class Shares(unittest.TestCase):
    maxDiff = None

    def life(self, host, name, wants, way="8000"):
        """What apply said and the L3 lines, once all else of a policy's life was checked."""
        script = f"service proxy /proxy.service 2\npolicy {name} '{wants}'\n"
        found = guest(script + LIFE.replace("NAME", name).replace("WAY", way), host, ["strace"])
        for part in "apply", "verify", "again", "reset":
            self.assertEqual(found[part].status, 0, found[part].text)
        self.assertEqual(found["again"].lines[-1], "already as planned: nothing was written")
        for part in "written", "changed", "left", "foreign":
            self.assertEqual(found[part].text, "", part)
        lines = [line.replace("/sys/fs/resctrl/", "").split(":", 1) for line in found["schemata"].lines]
        return found["apply"], [f"{path[:-len('/schemata')] or 'root'} {text.strip()}" for path, text in lines]


class CodeAndData(Shares):
    WANTS = '"l3": {"code": {"ways": 2}, "data": {"ways": 5}}'

    def test_alone_on_intel(self):
        # From the lowest way up beside each other; the default group keeps what devices and strangers fill.
        _, lines = self.life("intel-1socket-cdp", "split", self.WANTS + ', "l3_exclusive": true', way="800")
        self.assertEqual(lines, ["root L3DATA:0=f80", "root L3CODE:0=f80", "bulkhead.proxy L3DATA:0=07c",
                                 "bulkhead.proxy L3CODE:0=003"])

    def test_shared_on_amd(self):
        _, lines = self.life("cdp", "split", self.WANTS)
        every = ";".join(f"{ccd}=%s" for ccd in range(12))
        self.assertEqual(lines, [line.replace("*", every) % ((mask,) * 12) for line, mask in (
            ("root L3DATA:*", "ffff"), ("root L3CODE:*", "ffff"),
            ("bulkhead.proxy L3DATA:*", "007c"), ("bulkhead.proxy L3CODE:*", "0003"))])

    def test_without_cdp_it_is_refused(self):
        found = guest(f"""
            policy split '{self.WANTS}'
            save before
            bh plan plan /run/split.json
            bh apply apply --yes /run/split.json
            save after
            part changed compare before after
            part left left_over
        """, SMALL)
        for name in "plan", "apply":
            self.assertEqual((found[name].status, found[name].text), (
                5, "bulkhead: /run/split.json:3:7: proxy wants code and data apart, but resctrl is mounted without "
                   "CDP: mount resctrl with -o cdp\n"))
        self.assertEqual((found["changed"].text, found["left"].text), ("", ""))


class IntelMasks(Shares):
    def test_ways_of_devices_are_given_to_owners_last(self):
        said, lines = self.life("intel-2socket", "most", '"l3": {"ways": 10}, "l3_exclusive": true', way="800")
        self.assertEqual(lines, ["root L3:0=c00;1=c00", "bulkhead.proxy L3:0=3ff;1=3ff"])
        self.assertNotIn("devices write to", said.text)

    def test_what_cannot_be_is_refused_and_what_devices_fill_is_told(self):
        found = guest("""
            policy gap '"l3": {"mask": "0xf0f"}'
            policy all '"l3": {"ways": 12}, "l3_exclusive": true'
            policy eleven '"l3": {"ways": 11}, "l3_exclusive": true'
            policy theirs '"l3": {"mask": "0xc00"}, "l3_exclusive": true'
            save before
            for asked in gap all; do
                bh "plan $asked" plan /run/$asked.json
                bh $asked apply --yes /run/$asked.json
            done
            bh eleven plan --json /run/eleven.json
            bh theirs plan --json /run/theirs.json
            save after
            part changed compare before after
            part left left_over
        """, "intel-2socket")
        for name, message in {
                "gap": "3:7: proxy wants mask f0f of the L3 of CCD 0: it has gaps, and this machine needs contiguous "
                       "masks",
                "all": "3:7: proxy wants 12 of 12 ways of CCD 0 for itself, but at least 1 must be left to others; at "
                       "most 11 fit"}.items():
            with self.subTest(policy=name):
                for said in found[f"plan {name}"], found[name]:
                    self.assertEqual((said.status, said.text), (3, f"bulkhead: /run/{name}.json:{message}\n"))
        for name, ways in ("eleven", "400"), ("theirs", "c00"):
            self.assertEqual(found[name].status, 0)
            self.assertIn(f'"proxy: devices write to ways {ways} as well, though the policy wants them for it alone"',
                          found[name].text)
        self.assertEqual((found["changed"].text, found["left"].text), ("", ""))


if __name__ == "__main__":
    unittest.main()

"""bulkhead through libpqos' OS interface, on the real kernel's resctrl."""

import json
import unittest

from pqos_lab import DAEMON, POLICIES, run
from test_counters import counters

OS = POLICIES + DAEMON + """
# Each group's values, CPUs and threads; $1 is the group's folder.
shown() { echo "$2"; sed 's/^ *//; s/= */=/g' $R/$1/schemata; cat $R/$1/cpus_list; sort $R/$1/tasks; }
number() { sed -n "s/.*\\"bulkhead.$1\\": \\([0-9]*\\).*/\\1/p" /run/bulkhead/state.json; }
service proxy /proxy.slice/proxy.service 5
# What another tool counts in the default group, and in groups of libpqos'.
mkdir $R/mon_groups/others
sleep 1000 & echo $! > $R/mon_groups/others/tasks
sed 's/.*-//' /sys/devices/system/cpu/online > $R/mon_groups/others/cpus_list
service database /system.slice/database.service 3
save before
for wanted in own threads; do
    bh "resctrl $wanted" apply --yes /run/$wanted.json
    part "as resctrl has it, $wanted"
    sed 's/^ *//; s/= */=/g' $R/schemata
    for one in proxy database; do shown bulkhead.$one $one; done
    bh "resctrl reset $wanted" reset --yes
    bh "libpqos $wanted" apply --yes --actuator pqos-os /run/$wanted.json
    part "as libpqos has it, $wanted"
    sed 's/^ *//; s/= */=/g' $R/schemata
    for one in proxy database; do shown COS$(number $one) $one; done
    part "folders $wanted" ls -d $R/COS*
    bh "verify $wanted" verify
    bh "again $wanted" apply --yes /run/$wanted.json
    echo "L3:0=1" > $R/COS$(number proxy)/schemata
    bh "drift $wanted" verify
    bh "mended $wanted" apply --yes /run/$wanted.json
    bh "libpqos reset $wanted" reset --yes
    save after-$wanted
    part "left $wanted" compare before after-$wanted
    part "files $wanted" left_over
done
# What "auto" is, while it is in force and once it is not.
bh "begun" apply --yes --actuator pqos-os /run/own.json
start auto
bh "through the daemon" apply --yes /run/threads.json
cos=$R/COS$(number proxy)
rmid=$(rdt-counter ids $cos | sed 's/.* //')
rdt-counter set 0 llc_occupancy $rmid 1000
rdt-counter set 0 mbm_total_bytes $rmid 5000
rdt-counter fail 1 llc_occupancy $rmid unavailable
part counters call counters.read
echo "L3:0=1" > $cos/schemata
await grep -q 'L3:0=0*3f;' $cos/schemata
end TERM
bh "after its end" verify
start auto
bh "reset through it" reset --yes
part described call host.describe
save after-daemon
part "left by the daemon" compare before after-daemon
end TERM
bh "applied beside others" apply --yes --actuator pqos-os /run/own.json
mkdir $R/COS9/mon_groups/waiting
bh "reset beside others" reset --yes
part "groups beside others" ls -d $R/COS* $R/COS*/mon_groups/*
rmdir $R/COS9
mkdir $R/p1
bh refused apply --yes --actuator pqos-os /run/own.json
rmdir $R/p1
save refused
part "left refused" compare before refused
"""


class OsInterface(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = run(OS)

    def test_it_comes_out_as_through_resctrl(self):
        for name in "own", "threads":
            with self.subTest(policy=name):
                for step in "resctrl", "resctrl reset", "libpqos", "verify", "libpqos reset":
                    self.assertEqual(self.found[f"{step} {name}"].status, 0, self.found[f"{step} {name}"].text)
                self.assertEqual(self.found[f"as libpqos has it, {name}"].text, self.found[f"as resctrl has it, {name}"].text)
                self.assertEqual(len(self.found[f"folders {name}"].lines), 15)
                self.assertEqual(self.found[f"again {name}"].lines[-1], "already as planned: nothing was written")
        self.assertIn("proxy\nMB:0=160;1=160;2=160;3=2048;", self.found["as libpqos has it, own"].text)
        self.assertIn("database\nMB:0=2048;1=64;2=64;3=2048;", self.found["as libpqos has it, threads"].text)

    def test_drift_is_seen_and_mended(self):
        for name in "own", "threads":
            self.assertEqual(self.found[f"drift {name}"].status, 4)
            self.assertIn("bulkhead.proxy", self.found[f"drift {name}"].text)
            self.assertEqual(self.found[f"mended {name}"].status, 0, self.found[f"mended {name}"].text)

    def test_the_daemon_keeps_it_and_auto_ends_with_it(self):
        for step in "begun", "through the daemon", "after its end", "reset through it":
            self.assertEqual(self.found[step].status, 0, self.found[step].text)
        self.assertEqual(json.loads(self.found["described"].text)["result"]["actuator"], "resctrl")
        self.assertEqual(self.found["left by the daemon"].text, "")

    def test_counters_are_what_the_kernel_says(self):
        proxy = counters(json.loads(self.found["counters"].text)["result"], "bulkhead.proxy")
        self.assertEqual((proxy[0]["llc_occupancy"], proxy[0]["mbm_total_bytes"]), (64 * 1000, 64 * 5000))
        self.assertEqual((proxy[1]["llc_occupancy"], proxy[1]["no_data"]["llc_occupancy"]), (None, "unavailable"))

    def test_nothing_is_left(self):
        for name in "own", "threads":
            self.assertEqual(self.found[f"left {name}"].text, "")
            self.assertEqual(self.found[f"files {name}"].text, "")

    def test_what_others_count_in_its_groups_stays(self):
        self.assertEqual(self.found["groups beside others"].lines, ["/sys/fs/resctrl/COS9", "/sys/fs/resctrl/COS9/mon_groups/waiting"])
        self.assertIn("group COS9 of libpqos stays: somebody else counts in it (mon_groups/waiting)",
                      self.found["reset beside others"].text)

    def test_beside_another_group_it_is_refused(self):
        self.assertEqual((self.found["refused"].status, self.found["refused"].text),
                         (1, "bulkhead: libpqos takes every CLOSID, and p1 holds one: remove what is not needed (rmdir), or use "
                             "--actuator resctrl\n"))
        self.assertEqual(self.found["left refused"].text, "")

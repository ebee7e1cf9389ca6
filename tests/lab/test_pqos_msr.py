"""bulkhead through libpqos' MSR interface, on simulated registers behind the real kernel's files."""

import json
import unittest

from pqos_lab import DAEMON, POLICIES, run
from test_counters import counters, is_near

MSR = POLICIES + DAEMON + """
rmid() { echo $(($(rdt-counter msr $1 0xc8f) & 0x3ff)); }
rmids() { for cpu in $(seq 0 23); do rmid $cpu; done | tr '\\n' ' '; }
counts() { [ "$(rmid 0)" != 0 ]; }
rests() { [ "$(rmid 0)" = 0 ] && [ "$(rmid 23)" = 0 ]; }
mask() { [ "$(rdt-counter msr 0 0xc91)" = 0x0000000000000fff ]; }
register() { for cpu in $2; do rdt-counter msr $cpu $1; done | tr '\\n' ' '; }
# Masks and bandwidth of the classes 0 to 3 at a CPU of CCDs 0, 3 and 4, and every CPU's class.
registers() {
    for class in 0 1 2 3; do
        echo "mask $class: $(register $(printf 0x%x $((0xc90 + class))) '0 6 8')"
        echo "bandwidth $class: $(register $(printf 0x%x $((0xc0000200 + class))) '0 6 8')"
    done
    echo "classes: $(register 0xc8f "$(seq 0 23 | tr '\\n' ' ')")"
}
service proxy /proxy.slice/proxy.service 5
service database /system.slice/database.service 3
save before
part before registers
bh threads apply --yes --actuator pqos-msr /run/threads.json
bh apply apply --yes --actuator pqos-msr /run/own.json
part applied registers
bh verify verify
bh again apply --yes /run/own.json
bh other apply --yes --actuator pqos-os /run/own.json
bh status status --json
# Another program, on all CPUs, takes the mask of class 1 back.
(echo 0 > $C/cgroup.procs; exec pqos --iface=msr -e 'llc@0:1=0xffff') > /dev/null
bh drift verify
bh mended apply --yes /run/own.json
# Whoever counts is killed, first this side of the library, then the other.
bulkhead watch --json --every 500ms > /run/lines &
watch=$!
await grep -q proxy /run/lines
part rmids rmids
web=$(rmid 0)
rdt-counter set 0 llc_occupancy $web 1000
rdt-counter set 0 mbm_total_bytes $web 5000 100000
rdt-counter set 1 llc_occupancy $(rmid 2) 2000
rdt-counter fail 1 mbm_local_bytes $(rmid 2) error
rdt-counter fail 2 llc_occupancy $(rmid 4) unavailable
lines=$(wc -l < /run/lines)
await sh -c "[ \\$(wc -l < /run/lines) -gt $((lines + 12)) ]"
bh "counted already" watch --once
kill -KILL $watch
part lines tail -n 1 /run/lines
await rests
part "files of a killed one" ls /run/bulkhead
bulkhead watch --json > /run/lines 2>&1 &
watch=$!
await grep -q proxy /run/lines  # then everybody is counted
kill -KILL $(ls /run/bulkhead | sed -n 's/^counting\\.//p')
wait $watch || true
part "rmids of a killed one" rmids
bh "behaviour" verify --for 2s
part "rmids afterwards" rmids
bh reset reset --yes
part after registers
save after
part left compare before after
part files left_over
start pqos-msr
bh "through the daemon" apply --yes /run/own.json
part "applied by the daemon" registers
await counts
rdt-counter set 0 llc_occupancy $(rmid 0) 3000
part counters call counters.read
bh "watch beside it" watch --once --json
(echo 0 > $C/cgroup.procs; exec pqos --iface=msr -e 'llc@0:1=0xffff') > /dev/null
await mask
end KILL
await rests
start pqos-msr
await counts
end TERM
part "rmids after its end" rmids
bh "after its end" verify
start pqos-msr
bh "reset through it" reset --yes
await rests
end TERM
part "after the daemon" registers
save after-daemon
part "left by the daemon" compare before after-daemon
mount -t resctrl resctrl $R
bh mounted apply --yes --actuator pqos-msr /run/own.json
"""


class MsrInterface(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = run(MSR, ["--no-mount"])

    def registers(self, part):
        return {name: [int(value, 16) for value in values.split()]
                for name, _, values in (line.partition(": ") for line in self.found[part].lines)}

    def test_the_registers_hold_the_policy(self):
        self.assertEqual(self.found["apply"].status, 0, self.found["apply"].text)
        services = json.loads(self.found["status"].text)["services"]
        self.assertEqual([service["group"] for service in services], ["bulkhead.proxy", "bulkhead.database", ""])
        found = self.registers("applied")
        self.assertEqual(found["mask 1"], [0xfff, 0xffff, 0xffff])
        self.assertEqual(found["bandwidth 1"], [160, 2048, 2048])
        self.assertEqual(found["mask 2"], [0xffff, 0xf, 0xffff])
        self.assertEqual(found["bandwidth 2"], [2048] * 3)
        self.assertEqual(found["mask 3"], [0xffff] * 3)
        self.assertEqual(found["classes"], [1 << 32] * 6 + [2 << 32] * 2 + [0] * 16)

    def test_it_is_verified_and_a_second_apply_writes_nothing(self):
        self.assertEqual(self.found["verify"].status, 0, self.found["verify"].text)
        self.assertEqual(self.found["again"].lines[-1], "already as planned: nothing was written")
        self.assertEqual(self.found["drift"].status, 4)
        self.assertRegex(self.found["drift"].text, r"bulkhead\.proxy[^-]*ffff")
        self.assertEqual(self.found["mended"].status, 0, self.found["mended"].text)

    def test_counters_are_what_the_registers_say(self):
        self.assertEqual(self.found["rmids"].lines, [" ".join(["1"] * 24) + " "])
        document = json.loads(self.found["lines"].text)
        self.assertEqual([(group["group"], group["services"]) for group in document["groups"]],
                         [("", ["others"]), ("bulkhead.database", ["database"]), ("bulkhead.proxy", ["proxy"])])
        proxy = counters(document, "bulkhead.proxy")
        self.assertEqual((proxy[0]["llc_occupancy"], proxy[0]["mbm_local_bytes"], proxy[0]["no_data"]), (64 * 1000, 0, {}))
        self.assertTrue(is_near(proxy[0]["total_bandwidth"], 64 * 100_000), proxy[0])
        self.assertEqual((proxy[1]["llc_occupancy"], proxy[1]["mbm_total_bytes"]), (64 * 2000, 0))
        self.assertEqual(proxy[1]["no_data"], {"mbm_local_bytes": "error", "local_bandwidth": "error"})
        self.assertEqual(proxy[2]["no_data"], {"llc_occupancy": "unavailable", "mbm_total_bytes": "not_read",
                                               "total_bandwidth": "not_read", "mbm_local_bytes": "not_read",
                                               "local_bandwidth": "not_read"})
        self.assertEqual(set(proxy[3]["no_data"].values()), {"absent"})
        self.assertEqual((self.found["counted already"].status, self.found["counted already"].text),
                         (5, "bulkhead: nothing can be counted: CPU 8 counts for another program already, by RMID 1: end that "
                             "one, or where it has ended and left it so, `pqos -r`\n"))

    def test_rmids_are_given_back_whoever_is_killed(self):
        nobody, everybody = [" ".join(["0"] * 24) + " "], [" ".join(["1"] * 24) + " "]
        self.assertEqual(self.found["files of a killed one"].lines, ["lock", "state.json"])
        self.assertEqual(self.found["rmids of a killed one"].lines, everybody)
        self.assertEqual(self.found["behaviour"].status, 0, self.found["behaviour"].text)
        self.assertIn("behaviour over 2 s: holds (", self.found["behaviour"].text)
        self.assertEqual(self.found["rmids afterwards"].lines, nobody)
        self.assertEqual(self.found["rmids after its end"].lines, nobody)

    def test_the_daemon_keeps_it(self):
        for step in "through the daemon", "after its end", "reset through it":
            self.assertEqual(self.found[step].status, 0, self.found[step].text)
        found = self.registers("applied by the daemon")
        self.assertEqual((found["mask 1"], found["bandwidth 1"]), ([0xfff, 0xffff, 0xffff], [160, 2048, 2048]))
        proxy = counters(json.loads(self.found["counters"].text)["result"], "bulkhead.proxy")
        self.assertEqual(proxy[0]["llc_occupancy"], 64 * 3000)
        beside = counters(json.loads(self.found["watch beside it"].text), "bulkhead.proxy")
        self.assertEqual(beside[0]["llc_occupancy"], 64 * 3000)
        self.assertTrue(is_near(beside[0]["total_bandwidth"], 64 * 100_000), beside[0])  # it still counts as set above
        self.assertEqual(self.registers("after the daemon"), self.registers("before"))
        self.assertEqual(self.found["left by the daemon"].text, "")

    def test_reset_leaves_the_registers_as_before(self):
        self.assertEqual(self.found["reset"].status, 0, self.found["reset"].text)
        before = self.registers("before")
        self.assertEqual(self.registers("after"), before)
        self.assertEqual((before["mask 1"], before["classes"]), ([0xffff] * 3, [0] * 24))
        self.assertEqual(self.found["left"].text, "")
        self.assertEqual(self.found["files"].text, "")

    def test_what_registers_cannot_is_refused(self):
        self.assertEqual(self.found["threads"].status, 3)
        self.assertIn("service proxy: its threads would have to be assigned, and registers know CPUs only",
                      self.found["threads"].text)
        self.assertEqual(self.found["other"].status, 1)
        self.assertIn("the policy in force was written through pqos-msr", self.found["other"].text)
        self.assertEqual(self.found["mounted"].status, 5)
        self.assertIn("resctrl is mounted on /sys/fs/resctrl, and the kernel overwrites", self.found["mounted"].text)


if __name__ == "__main__":
    unittest.main()

"""bulkhead through libpqos on the real kernel: its OS interface on resctrl, and its MSR interface on simulated
registers. The processor's own CPUID answers know nothing of cache control; tests/support/answer_cpuid.c answers."""

import hashlib
import json
import subprocess
import unittest

from bulkhead_lab import HOST, REPOSITORY, guest
from resctrl_lab import cache
from test_counters import counters, is_near

# "own" has services with CPUs of their own, in "threads" they share them.
POLICIES = """
export LD_PRELOAD="libpqos.so.4 $ANSWER" CPUID_THREADS=0 CPUID_CLOSIDS=16
mkdir -p /run/lock /var/lock
cat > /run/own.json << 'END'
{"bulkhead": 1, "name": "own", "services": {
  "proxy": {"select": {"cgroup": "/proxy.slice"}, "cpus": {"ccds": "0-2"}, "exclusive_cpus": true,
            "l3": "75%", "l3_exclusive": true, "bandwidth": "20GB/s"},
  "database": {"select": {"cgroup": "/system.slice/database.service"}, "cpus": {"ccds": "3"}, "exclusive_cpus": true,
               "l3": {"ways": 4}},
  "others": {"select": "others", "cpus": "rest"}}}
END
cat > /run/threads.json << 'END'
{"bulkhead": 1, "name": "threads", "services": {
  "proxy": {"select": {"cgroup": "/proxy.slice"}, "cpus": {"ccds": "0-1"}, "l3": {"ways": 6}},
  "database": {"select": {"cgroup": "/system.slice/database.service"}, "cpus": {"ccds": "1-2"}, "bandwidth": "8GB/s"}}}
END
"""

# A daemon that looks often; $1 is its actuator.
DAEMON = """
call() { echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"method\\":\\"$1\\"}" | socat -t 60 - UNIX:/run/bulkhead/bulkhead.sock; }
start() {
    mkdir -p /etc/bulkhead
    echo "{\\"bulkheadd\\": 1, \\"sweep\\": \\"500ms\\", \\"actuator\\": \\"$1\\"}" > /etc/bulkhead/bulkheadd.json
    bulkheadd >> /run/said 2>&1 &
    daemon=$!
    await answers
}
answers() { call host.describe | grep -q result; }
end() { # SIGNAL
    kill -$1 $daemon
    wait $daemon || true
}
"""

OS = POLICIES + DAEMON + """
# Each group's values, CPUs and threads; $1 is the group's folder.
shown() { echo "$2"; sed 's/^ *//; s/= */=/g' $R/$1/schemata; cat $R/$1/cpus_list; sort $R/$1/tasks; }
number() { sed -n "s/.*\\"bulkhead.$1\\": \\([0-9]*\\).*/\\1/p" /run/bulkhead/state.json; }
service proxy /proxy.slice/proxy.service 5
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
mkdir $R/p1
bh refused apply --yes --actuator pqos-os /run/own.json
rmdir $R/p1
save refused
part "left refused" compare before refused
"""

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


def answer_cpuid():
    """tests/support/answer_cpuid.c, compiled."""
    source = REPOSITORY / "tests" / "support" / "answer_cpuid.c"
    path = cache.FOLDER / "programs" / f"answer-cpuid-{hashlib.sha256(source.read_bytes()).hexdigest()[:12]}.so"
    with cache.locked(path):
        if not path.exists():
            fresh = path.with_suffix(".new")
            subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", fresh, source], check=True)
            fresh.rename(path)
    return path


def run(script, options=()):
    library = answer_cpuid()
    return guest(f"ANSWER={library}\n{script}", HOST, ["pqos", "socat", library], options)


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

    def test_beside_another_group_it_is_refused(self):
        self.assertEqual((self.found["refused"].status, self.found["refused"].text),
                         (1, "bulkhead: libpqos takes every CLOSID, and p1 holds one: remove what is not needed (rmdir), or use "
                             "--actuator resctrl\n"))
        self.assertEqual(self.found["left refused"].text, "")


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

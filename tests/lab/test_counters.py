"""Counters on the real kernel: what the lab's registers say comes out of watch and verify, no data included."""

import json
import unittest

from bulkhead_lab import SMALL, guest

MIB = 1 << 20
UNIT = 64  # bytes, of the host's counters
WAYS_4 = 4 * 2 * MIB  # what 4 ways of its 16-way L3 of 32 MiB hold

BEGIN = """
    service proxy /proxy.service 2
    policy web '"l3": {"ways": 4}, "bandwidth": "4GB/s"'
    sed -i 's/^{"bulkhead": 1,/& "verify": {"settle": "SETTLE"},/' /run/web.json
    part apply bulkhead apply --yes /run/web.json
    web=$(rdt-counter ids $R/bulkhead.proxy | sed 's/.*RMID *//; s/[^0-9].*//')
    mkdir $R/theirs
    theirs=$(rdt-counter ids $R/theirs | sed 's/.*RMID *//; s/[^0-9].*//')
"""


def lines_of(part):
    return [json.loads(line) for line in part.lines]


def is_near(rate, expected):
    """An emulated guest stops now and then between a look at its clock and one at a counter. A wrong unit is further off."""
    return expected / 4 < rate < expected * 4


def counters(document, group):
    return {ccd["ccd"]: ccd for ccd in next(one["ccds"] for one in document["groups"] if one["group"] == group)}


class Counters(unittest.TestCase):
    maxDiff = None

    def run_in_guest(self, script, settle="30s"):
        found = guest(BEGIN.replace("SETTLE", settle) + script, SMALL, ["socat"])
        self.assertEqual(found["apply"].status, 0, found["apply"].text)
        return found

    def test_every_field_is_what_an_independent_reader_reads(self):
        found = self.run_in_guest("""
            n=0
            for ccd in 0 1; do for event in llc_occupancy mbm_total_bytes mbm_local_bytes; do for id in 0 $web $theirs; do
                n=$((n + 1))
                rdt-counter set $ccd $event $id $((n * 1000))
            done; done; done
            rdt-counter fail 0 mbm_total_bytes $theirs unavailable
            rdt-counter fail 1 mbm_local_bytes $web error
            rdt-counter fail 1 llc_occupancy $theirs error
            part watch bulkhead watch --once --json
            mkdir -p /etc/bulkhead
            echo '{"bulkheadd": 1, "sweep": "200ms"}' > /etc/bulkhead/bulkheadd.json
            bulkheadd > /dev/null 2> /run/said &
            await test -S /run/bulkhead/bulkhead.sock
            part api
            echo '{"jsonrpc":"2.0","id":1,"method":"counters.read"}' | socat -t 60 - UNIX:/run/bulkhead/bulkhead.sock
            await grep -q 'not counted' /run/said
            sleep 1
            part said cat /run/said
            part read
            (cd $R && for file in mon_data/*/* bulkhead.proxy/mon_data/*/* theirs/mon_data/*/*; do echo $file $(cat $file); done)
        """)
        self.assertEqual(found["watch"].status, 0, found["watch"].text)
        self.assert_is_what_was_read(lines_of(found["watch"])[-1], found["read"])
        told = lines_of(found["api"])[-1]["result"]
        self.assert_is_what_was_read(told, found["read"])
        # The guest has no performance counters.
        perf = lines_of(found["watch"])[-1]["perf"]
        self.assertEqual((len(perf["lacking"]), [service["service"] for service in perf["services"]]), (2, ["proxy"]))
        self.assertEqual(told["perf"], perf)
        self.assertEqual([line for line in found["said"].lines if "not counted" in line],
                         ["bulkheadd: " + "; ".join(perf["lacking"])])

    def assert_is_what_was_read(self, document, part):
        self.assertEqual((document["policy"], document["holds"]), ("web", True))
        self.assertEqual([(one["group"], one["services"]) for one in document["groups"]],
                         [("", []), ("bulkhead.proxy", ["proxy"]), ("theirs", [])])
        read = dict(line.split() for line in part.lines)
        self.assertEqual(len(read), 3 * 2 * 3)
        for path, text in read.items():
            group, _, rest = path.rpartition("mon_data/")
            folder, event = rest.split("/")
            with self.subTest(path):
                ours = counters(document, group.rstrip("/"))[int(folder.removeprefix("mon_L3_"))]
                self.assertEqual(ours[event], int(text) if text.isdigit() else None)
                self.assertEqual(ours["no_data"].get(event), None if text.isdigit() else text.lower())
        self.assertEqual(sorted(text for text in read.values() if not text.isdigit()), ["Error", "Error", "Unavailable"])
        self.assertEqual(counters(document, "bulkhead.proxy")[1]["no_data"]["local_bandwidth"], "error")
        self.assertEqual(counters(document, "bulkhead.proxy")[1]["total_bandwidth"], 0)

    def test_rates_survive_wraps_and_are_not_made_up_across_gaps(self):
        rate, bits = 100_000, 44
        found = self.run_in_guest(f"""
            rdt-counter set 0 mbm_total_bytes $web 1000 {rate}
            rdt-counter set 1 mbm_total_bytes $web {(1 << bits) - 2 * rate} {rate}
            rdt-counter set 0 mbm_total_bytes $theirs 9000 {rate}
            bulkhead watch --json --every 500ms --for 8s > /run/lines &
            await grep -q '"total_bandwidth":[0-9]*[1-9]' /run/lines
            rmdir $R/theirs
            mkdir $R/theirs
            rdt-counter fail 0 mbm_total_bytes $web unavailable
            await grep -q unavailable /run/lines
            rdt-counter set 0 mbm_total_bytes $web 5000000000 {rate}
            wait $!
            part lines cat /run/lines
        """)
        documents = lines_of(found["lines"])
        self.assertGreaterEqual(len(documents), 8)
        wrapping = [counters(document, "bulkhead.proxy")[1] for document in documents]
        counts = [ccd["mbm_total_bytes"] for ccd in wrapping]
        self.assertEqual(counts, sorted(counts))
        for ccd in wrapping:
            self.assertTrue(is_near(ccd["total_bandwidth"], rate * UNIT), ccd)
        words = [counters(document, "bulkhead.proxy")[0]["no_data"].get("total_bandwidth") for document in documents]
        self.assertIn("first_sample", words[words.index("unavailable"):])
        self.assertIsNone(words[-1])
        self.assertIn("theirs", [group["group"] for group in documents[-1]["groups"]])
        for document in documents:
            for group in document["groups"]:
                for ccd in group["ccds"]:
                    self.assertLess(ccd["total_bandwidth"] or 0, 3 * rate * UNIT)

    def verdicts(self, part):
        document = json.loads(part.text[part.text.index("{"):])
        self.assertEqual(part.status, 0 if document["holds"] else 4)
        behaviour = document["behaviour"]
        return behaviour["verdict"], {(one["kind"], one["ccd"]): one["verdict"] for one in behaviour["judgements"]
                                      if one["kind"] in ("occupancy", "bandwidth")}, behaviour

    def test_counters_are_judged(self):
        found = self.run_in_guest(f"""
            for ccd in 0 1; do
                rdt-counter set $ccd llc_occupancy $web {WAYS_4 // UNIT}
                rdt-counter set $ccd mbm_total_bytes $web 0 {3_900_000_000 // UNIT}
            done
            part holds bulkhead verify --for 2s --json
            rdt-counter set 0 llc_occupancy $web {3 * WAYS_4 // UNIT}
            rdt-counter fail 1 llc_occupancy $web unavailable
            rdt-counter set 0 mbm_total_bytes $web 0 {8_000_000_000 // UNIT}
            part violated bulkhead verify --for 2s --json
            sed -i s/500ms/5m/ /run/web.json
            bulkhead apply --yes /run/web.json > /dev/null
            part unsettled bulkhead verify --for 1s --json
        """, settle="500ms")
        verdict, each, _ = self.verdicts(found["holds"])
        self.assertEqual((verdict, each), ("holds", {(kind, ccd): "holds" for kind in ("occupancy", "bandwidth")
                                                     for ccd in (0, 1)}))
        verdict, each, behaviour = self.verdicts(found["violated"])
        self.assertEqual((verdict, each), ("violated", {("occupancy", 0): "violated", ("occupancy", 1): "no data",
                                                        ("bandwidth", 0): "violated", ("bandwidth", 1): "holds"}))
        messages = [one["message"] for one in behaviour["judgements"] if one["verdict"] == "violated"]
        self.assertIn("group bulkhead.proxy on CCD 0 fills 24.0 MiB, its ways have 8.0 MiB", messages)
        _, each, _ = self.verdicts(found["unsettled"])
        self.assertEqual(each[("occupancy", 0)], "not settled")

    def test_threads_that_run_elsewhere_are_found(self):
        found = self.run_in_guest("""
            busy() { sh -c "while :; do :; done" & }
            busy
            ours=$!
            echo $ours > $C/proxy.service/cgroup.procs
            policy owner '"cpus": {"cpus": "0-3"}, "exclusive_cpus": true'
            part owner bulkhead apply --yes /run/owner.json
            part quiet bulkhead verify --for 3s
            busy
            intruder=$!
            echo $intruder > $C/cgroup.procs
            taskset -p 2 $intruder
            echo 4-7 > $C/proxy.service/cpuset.cpus
            part loud bulkhead verify --for 3s
            part ids echo $ours $intruder
            kill $ours $intruder
        """)
        self.assertEqual(found["owner"].status, 0, found["owner"].text)
        self.assertEqual(found["quiet"].status, 0, found["quiet"].text)
        self.assertIn("behaviour over 3 s: holds", found["quiet"].text)
        ours, intruder = found["ids"].text.split()
        self.assertEqual(found["loud"].status, 4)
        self.assertIn(f"the CPUs of proxy are its own; thread {intruder} (sh) on CPU 1 ran there", found["loud"].text)
        self.assertRegex(found["loud"].text,
                         rf"proxy should run on CPUs 0-3; thread {ours} \(sh\) on CPU [4-7] did not")
        self.assertRegex(found["loud"].text, r"bulkhead: after [0-9]+ s: ")


if __name__ == "__main__":
    unittest.main()

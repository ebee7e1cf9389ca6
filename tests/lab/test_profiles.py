"""Every host profile: bulkhead sees the machine that the profile was made as, plans for it what it plans for the
machine file of that name, and where no other suite does, applies and undoes that beside other programs' groups."""

import json
import re
import tempfile
import unittest
from pathlib import Path

from bulkhead_lab import bulkhead, guest
from resctrl_lab import profiles

FULL_SIZE = "amd-12ccd-192cpu"  # see nightly_bulkhead.py
# Hosts without a machine file are like another one, but for what is no part of a machine.
LIKE = {"cgroup-v1": "amd-12ccd-nps2", "few-closids-foreign": "few-closids", "systemd": "amd-2ccd"}
# Other suites apply policies on these.
APPLIED_ELSEWHERE = {"amd-12ccd-nps2", "amd-2ccd", "amd-2socket-12ccd", "amd-smt-off", "cdp", "cgroup-v1",
                     "intel-1socket-cdp", "intel-2socket", "systemd"}

SCRIPT = """
bh topology topology --json
bh plan plan --json POLICY
DOCTOR
"""
LIFE = """
FOREIGNERS
service alpha /alpha 3
service stranger /stranger 1
save before
bh apply apply --yes POLICY
part schemata cat $R/bulkhead.alpha/schemata
part cpus cat $C/alpha/cpuset.cpus $C/stranger/cpuset.cpus.effective
bh verify verify
bh reset reset --yes
save after
part left compare before after
part "foreign after" compare_foreign before after
part files left_over
"""

# host: (status, lines that decide, of the doctor)
DOCTOR = {
    "amd-12ccd-nps2": (0, ["ok       1 socket, 2 nodes, 12 CCDs, 24 CPUs: AMD EPYC-Milan Processor",
                           "ok       L3: 16 ways, masks may have gaps",
                           "ok       16 CLOSIDs: the default group; 15 free"]),
    "cat-only": (0, ["note     memory bandwidth cannot be limited on this host"]),
    "mba-only": (0, ["warning  the L3 cannot be divided on this host: policies with \"l3\" are refused"]),
    "mon-only": (0, ["ok       counters: llc_occupancy, mbm_total_bytes, mbm_local_bytes; 256 RMIDs"]),
    "l2-only": (0, ["warning  this processor divides L2 caches, not the L3: Bulkhead plans the L3 only"]),
    "no-rdt": (5, ["problem  this processor has no cache or bandwidth control (its flags in cpuinfo lack rdt_a, "
                   "cat_l3,", "policies that divide caches or bandwidth cannot be applied here; those that only choose CPUs can"]),
    "few-closids-foreign": (0, [
        "ok       4 CLOSIDs: the default group, of other tools database, p1; 1 free",
        "note     RMIDs are used by 1 monitoring group as well",
        "note     2 groups of other tools: Bulkhead leaves what they hold alone"]),
}


class Expected:
    """What follows from a profile, by its own words and not by bulkhead's."""

    def __init__(self, profile):
        self.profile = profile
        self.amd = profile.vendor == "amd"
        self.cores = profile.sockets * profile.dies * profile.cores
        self.ways = profile.cache and profile.cache["mask_bits"]
        self.cdp = "cdp" in profile.mount_options
        self.ids = list(dict.fromkeys(apic >> profile.domain_shift for apic in profile.apic_ids()))
        self.limit = "64" if self.amd else "40"
        self.unlimited = 2048 if self.amd else 100  # on 6.1, whatever the hardware says

    def cpus_of(self, cores):
        threads = range(self.profile.threads)
        if self.profile.fields.get("first_threads_first"):
            return sorted(core + thread * self.cores for core in cores for thread in threads)
        return sorted(core * len(threads) + thread for core in cores for thread in threads)

    def parts(self, count, ids):
        """The CPUs of equal parts of the machine."""
        size = self.cores // count
        return [{"id": number, "cpus": spans(self.cpus_of(range(place * size, (place + 1) * size)))}
                for place, number in enumerate(ids)]

    def topology(self):
        firsts = [[self.cpus_of([core])[thread] for core in range(self.cores)]
                  for thread in range(self.profile.threads)]
        return {"sockets": self.parts(self.profile.sockets, range(self.profile.sockets)),
                "nodes": self.parts(self.profile.numa_nodes, range(self.profile.numa_nodes)),
                "l3": self.parts(len(self.ids), self.ids),
                "cores": [{"threads": [spans(cpus) for cpus in firsts]}]}

    def masks(self, cache, closids):
        return {"closids": closids, "mask": f"{(1 << cache['mask_bits']) - 1:x}", "min_ways": 1,
                "shareable": cache["shareable_mask"], "sparse": self.amd}

    def capabilities(self):
        profile = self.profile
        found = {"resctrl": True, "mount_options": profile.mount_options, "cdp": self.cdp}
        if profile.cache:
            found["l3"] = self.masks(profile.cache, profile.cache["closids"] // (2 if self.cdp else 1))
        if profile.l2_cache:
            found["l2"] = self.masks(profile.l2_cache, profile.l2_cache["closids"])
        if profile.bandwidth:
            step, unit = (1, "eighth_gb") if self.amd else (10, "percent")
            found["memory_bandwidth"] = {
                "closids": profile.bandwidth["closids"], "unit": unit, "min": 0 if self.amd else 10,
                "granularity": step, "unlimited": self.unlimited}
        if profile.monitoring:
            found["monitoring"] = {"rmids": profile.monitoring["rmids"], "events": profile.monitoring["events"]}
        found["domains"] = self.ids if profile.cache or profile.bandwidth or profile.monitoring else []
        return found if profile.has_resctrl else None

    def policy(self):
        """One that fits: a core for a service, with a share of all that can be shared."""
        wants = {"cpus": {"count": {"cores": 1}}, "exclusive_cpus": True}
        if self.ways:
            wants.update(l3={"ways": 3}, l3_exclusive=True)
        if self.profile.bandwidth:
            wants.update(bandwidth="8GB/s" if self.amd else "35%")
        return {"bulkhead": 1, "name": "fitting",
                "services": {"alpha": {"select": {"cgroup": "/alpha"}, **wants},
                             "others": {"select": "others", "cpus": "rest"}}}

    def schemata(self):
        """Of the service's group: its share on the first CCD, everything elsewhere."""
        def line(share, everything):
            return {str(number): everything if place else share for place, number in enumerate(self.ids)}
        found = {}
        if self.ways:
            for resource in ["L3DATA", "L3CODE"] if self.cdp else ["L3"]:
                found[resource] = line(f"{7:0{self.ways // 4}x}", f"{(1 << self.ways) - 1:x}")
        if self.profile.bandwidth:
            found["MB"] = line(self.limit, str(self.unlimited))
        return found


def spans(cpus):
    """A kernel's list of numbers that ascend."""
    found = []
    for cpu in cpus:
        if found and found[-1][1] == cpu - 1:
            found[-1][1] = cpu
        else:
            found.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in found)


def schemata_of(text):
    """{resource: {id: value}} of a schemata file."""
    return {name.strip(): dict(re.findall(r"(\d+)= *(\w+)", values))
            for name, _, values in (line.partition(":") for line in text.splitlines())}


# One of each kind; nightly_profiles.py has the others.
EACH_TIME = ("amd-12ccd-nps2", "amd-2socket-3ccd", "cdp", "intel-2socket", "l2-only", "mon-only")


class Profiles(unittest.TestCase):
    maxDiff = None

    def check(self, host):
        profile = profiles.Profile(host)
        expected = Expected(profile)
        with tempfile.TemporaryDirectory() as folder:
            policy = Path(folder) / "fitting.json"
            policy.write_text(json.dumps(expected.policy()))
            applied = host not in APPLIED_ELSEWHERE
            script = (SCRIPT + LIFE * applied).replace("POLICY", str(policy))
            # No classes are left for others where the profile has made its own groups.
            others = profile.cache and profile.monitoring and not profile.foreign_groups
            way = "800" if profile.vendor == "intel" else "8000"
            script = script.replace("FOREIGNERS", f"foreigners {way}" if others else "")
            script = script.replace("DOCTOR", "bh doctor doctor" if host in DOCTOR else "")
            found = guest(script, host, [policy])
            machine = "lab-" + LIKE.get(host, host)
            self.check_topology(expected, found["topology"], machine)
            self.check_plan(expected, found["plan"], bulkhead("plan", policy, "--machine", machine, "--json"))
        if applied:
            self.check_life(expected, found)
        if host in DOCTOR:
            status, lines = DOCTOR[host]
            self.assertEqual(found["doctor"].status, status)
            for line in lines:
                self.assertIn(line, found["doctor"].lines)

    def check_topology(self, expected, part, machine):
        self.assertEqual(part.status, 0, part.text)
        live = json.loads(part.text)
        self.assertEqual((live["name"], live["vendor"]), ("this host", expected.profile.vendor))
        for node in live["topology"]["nodes"]:
            del node["memory"]  # what is left of it in a guest
        sizes = {ccd.pop("size") for ccd in live["topology"]["l3"]}
        self.assertEqual(live["topology"], expected.topology())
        self.assertEqual(live.get("capabilities"), expected.capabilities())
        described = json.loads(bulkhead("topology", "--machine", machine, "--json"))
        for node in described["topology"]["nodes"]:
            del node["memory"]
        self.assertEqual({ccd.pop("size") for ccd in described["topology"]["l3"]}, sizes)
        for name in "vendor", "topology", "capabilities":
            self.assertEqual(live.get(name), described.get(name))

    def check_plan(self, expected, part, described):
        self.assertEqual(part.status, 0, part.text)
        live, described = json.loads(part.text), json.loads(described)
        for name in "actuator", "groups", "cpusets", "effective", "notes":
            self.assertEqual(live[name], described[name], name)
        first, others = live["effective"]
        self.assertEqual(first["planned"]["cpus"], spans(expected.cpus_of([0])))
        self.assertEqual(others["planned"]["cpus"], spans(expected.cpus_of(range(1, expected.cores))))
        if expected.ways:
            self.assertIn(f"3 of {expected.ways} ways, ", first["planned"]["l3"])
        if expected.profile.bandwidth:
            self.assertEqual(first["planned"]["bandwidth"], "8 GB/s per CCD" if expected.amd else "40%")

    def check_life(self, expected, found):
        for name in "apply", "verify", "reset":
            self.assertEqual(found[name].status, 0, f"{name}: {found[name].text}")
        if expected.ways or expected.profile.bandwidth:
            self.assertEqual(schemata_of(found["schemata"].text), expected.schemata())
        cpus = [spans(expected.cpus_of([0])), spans(expected.cpus_of(range(1, expected.cores)))]
        self.assertEqual(found["cpus"].lines[:2], cpus)
        for name in "left", "foreign after", "files":
            self.assertEqual(found[name].text, "", name)

    def check_each(self, hosts):
        for host in hosts:
            with self.subTest(host=host):
                self.check(host)

    def test_profiles_of_each_kind(self):
        self.check_each(EACH_TIME)


if __name__ == "__main__":
    unittest.main()

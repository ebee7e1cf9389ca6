"""What bulkhead sees and can do on each kind of host."""

import unittest

from bulkhead_lab import guest

# A unit's cgroup is in the tree with cpusets where somebody has made it there; where systemd runs it is in another
# one, and its processes get a cgroup of ours.
V1 = """
U=$C/unified C=$C/cpuset
service proxy $WHERE 3
mkdir $U/proxy.service
echo $pid > $U/proxy.service/cgroup.procs
service database /database.service 2
save before
bh apply apply --yes examples/gen13/numa-6-of-12.json
part cpus cat $C$GOES/cpuset.cpus $C/database.service/cpuset.cpus
for thread in /proc/$(pidof proxy)/task/*; do grep Cpus_allowed_list $thread/status; done | sort -u > /run/allowed
part allowed cat /run/allowed
bh verify verify
bh reset reset --yes
save after
part changed compare before after
bh doctor doctor
"""


class Doctor(unittest.TestCase):
    # host: (status, lines that decide)
    HOSTS = {
        "amd-12ccd-nps2": (0, ["ok       1 socket, 2 nodes, 12 CCDs, 24 CPUs: AMD EPYC-Milan Processor",
                               "ok       L3: 16 ways, masks may have gaps",
                               "ok       16 CLOSIDs: the default group; 15 free"]),
        "cat-only": (0, ["note     memory bandwidth cannot be limited on this host"]),
        "mba-only": (0, ["warning  the L3 cannot be divided on this host: policies with \"l3\" are refused"]),
        "mon-only": (0, ["ok       counters: llc_occupancy, mbm_total_bytes, mbm_local_bytes; 256 RMIDs"]),
        "l2-only": (0, ["warning  this processor divides L2 caches, not the L3: Bulkhead plans the L3 only"]),
        "no-rdt": (5, ["problem  this processor has no cache or bandwidth control (its flags in cpuinfo lack rdt_a, "
                       "cat_l3,", "policies cannot be applied on this host"]),
        "few-closids-foreign": (0, [
            "ok       4 CLOSIDs: the default group, of other tools database, p1; 1 free",
            "note     RMIDs are used by 1 monitoring group as well",
            "note     2 groups of other tools: Bulkhead leaves what they hold alone"]),
    }

    def test_hosts(self):
        for host, (status, lines) in self.HOSTS.items():
            with self.subTest(host=host):
                found = guest("bh doctor doctor", host)["doctor"]
                self.assertEqual(found.status, status)
                for line in lines:
                    self.assertIn(line, found.lines)


class CgroupV1(unittest.TestCase):
    def test_apply_verify_reset(self):
        for where, goes in ("/proxy.service", "/proxy.service"), ("/daemons", "/bulkhead.proxy"):
            with self.subTest(cgroup=where):
                found = guest(f"WHERE={where} GOES={goes}\n" + V1, "cgroup-v1")
                self.assertEqual(found["apply"].status, 0, found["apply"].text)
                self.assertEqual(found["cpus"].lines, ["0-11", "12-23"])
                self.assertEqual(found["allowed"].text, "Cpus_allowed_list:\t0-11\n")
                self.assertEqual(found["verify"].status, 0, found["verify"].text)
                self.assertEqual(found["reset"].status, 0, found["reset"].text)
                self.assertEqual(found["changed"].text, "")
                self.assertIn("note     cgroup v1: cpuset is on /sys/fs/cgroup/cpuset, without partitions",
                              found["doctor"].lines)


if __name__ == "__main__":
    unittest.main()

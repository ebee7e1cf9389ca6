"""CPUs of services on a host whose cpuset controller is in cgroup v1."""

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

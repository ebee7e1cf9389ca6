"""Each example policy from before it is applied until after it is reset, on a host that fits, beside other programs'
groups. What it changes is in expected/, which BULKHEAD_UPDATE_EXPECTED=1 writes anew. The other
half of the examples is in nightly_examples.py."""

import os
import re
import unittest

from bulkhead_lab import HOST, LAB, guest

SERVICES = {
    "gen13": "service proxy /proxy.slice/proxy.service 5; service database /system.slice/database.service 3",
    "bulk-throttled": "service transcode /system.slice/transcode.service 6",
    "containers-by-cgroup": """
        service report /machine.slice/reports-1 2; service report-inner /machine.slice/reports-2/nested/more 3
        service backup /machine.slice/backup-a 1; service shop /kubepods.slice/kubepods-burstable.slice/pod1/c1 4
        service stranger /kubepods.slice/other 1
    """,
    "whole-ccd-per-service": """
        service memcached /system.slice/memcached.service 4; service rabbit /system.slice/rabbitmq-server.service 4
        service stranger /system.slice/cron.service 1
    """,
    "xeon-two-services": """
        service postgres /system.slice/postgresql.service 4; service nginx /system.slice/nginx.service 3
    """,
}

SCRIPT = """
foreigners WAY
save before
bh apply apply --yes POLICY
save applied
part changed compare before applied
part "foreign while applied" compare_foreign before applied
bh verify verify
bh plan plan POLICY
part again strace -f -y -o /run/trace bulkhead apply --yes POLICY
part trace grep -v -e O_RDONLY -e ' +++ ' /run/trace
bh reset reset --yes
save after
part left compare before after
part "foreign after" compare_foreign before after
part files left_over
for process in $PEOPLE; do part "people $process" echo $(cat /proc/$process/comm; ls /proc/$process/task); done
"""

# Calls that change a file, make a process, or prepare that.
CHANGES = re.compile(r" (p?write(64|v)?|mkdir(at)?|unlink(at)?|rmdir|rename(at2?)?|v?fork|clone3?|execve|mount|"
                     r"f?truncate|fallocate|openat)\(")
# What applying again may do of these: start, say so, look after its own lock, and have a thread for the progress.
# Files of resctrl are opened for both reading and writing: only a descriptor kept from before shows that a group was
# replaced by another one of its name.
HARMLESS = [
    r' execve\("[^"]*/bulkhead", ',
    r" write\([12]<",
    r' mkdir\("/run/bulkhead", 0755\) += -1 EEXIST',  # it is made where it is missing
    r' mkdir\("/run/bulkhead", 0755 <unfinished',
    r' openat\(\d+</run/bulkhead>, "lock", O_RDWR\|O_CREAT\|',
    r" clone3\(\{flags=[A-Z_|]*\bCLONE_THREAD\b",
    r' openat\(\d+</sys/fs/resctrl>, "[\w./-]*", O_RDWR\|O_NONBLOCK\|O_CLOEXEC\) = \d+</sys/fs/resctrl/',
    r" resumed>",
]


class ExampleTest(unittest.TestCase):
    maxDiff = None

    def life(self, policy, host=HOST, way="8000", cpuset_before=False, stands_in=()):
        """`stands_in` are cgroups whose empty list of CPUs cannot come back, as notes must tell."""
        key = "gen13" if policy.startswith("gen13") else policy
        before = "echo +cpuset > $C/cgroup.subtree_control\n" if cpuset_before else ""
        script = before + SERVICES[key] + SCRIPT.replace("POLICY", f"examples/{policy}.json").replace("WAY", way)
        found = guest(script, host, ["strace"])
        self.assertEqual(found["apply"].status, 0, found["apply"].text)
        name = f"{policy.replace('/', '-')}-on-{host}"
        self.assert_expected(name + "-with-cpuset-before" * cpuset_before, found)
        self.assertEqual(found["foreign while applied"].text, "")
        self.assertEqual(found["foreign after"].text, "")
        self.assertEqual((found["verify"].status, found["verify"].text.split(":")[0]),
                         (0, policy.split("/")[-1] + " holds"))
        self.assertEqual(found["plan"].lines[-1], "already as planned: nothing to do")
        self.assertEqual(found["again"].lines[-1], "already as planned: nothing was written")
        self.assertEqual([line for line in found["trace"].lines
                          if CHANGES.search(line) and not any(re.search(known, line) for known in HARMLESS)], [])
        self.assertEqual(found["reset"].status, 0, found["reset"].text)
        self.assertEqual(found["files"].text, "")
        said = " ".join(found["reset"].text.split())
        self.assertEqual(re.findall(r"note: .*?(?= note: |$)", said), [
            f"note: this kernel does not let cpuset.cpus of {cgroup} be emptied while processes are in it, so it names "
            "everything instead, which has the same effect" for cgroup in stands_in])
        left = [f"{sign}.{cgroup}/cpuset.cpus:{cpus}" for sign, cpus in (("-", ""), ("+", "0-23"))
                for cgroup in stands_in]
        self.assertEqual(sorted(found["left"].lines[2:]), sorted(left))
        return found

    def assert_expected(self, name, found):
        """The changed lines, with names for the numbers of threads."""
        text = found["changed"].text
        for part, said in found.items():
            if part.startswith("people "):
                person, *threads = said.text.split()
                for index, thread in enumerate(sorted(threads, key=int)):
                    text = re.sub(rf"(?<=[:/]){thread}\b", f"{person}.{index}" if index else person, text)
        path = LAB / "expected" / f"{name}.txt"
        if os.environ.get("BULKHEAD_UPDATE_EXPECTED"):
            path.write_text(text)
        self.assertEqual(text, path.read_text())


class Examples(ExampleTest):
    def test_numa_6_of_12(self):
        self.life("gen13/numa-6-of-12")

    def test_pqos_1(self):
        self.life("gen13/pqos-1")

    def test_bulk_throttled(self):
        self.life("bulk-throttled")

    def test_containers_by_cgroup(self):
        self.life("containers-by-cgroup")

    def test_xeon_two_services(self):
        self.life("xeon-two-services", "intel-2socket", way="800")


if __name__ == "__main__":
    unittest.main()

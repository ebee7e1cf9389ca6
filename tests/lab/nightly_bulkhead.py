"""bulkhead on a host of full size, with thousands of threads, and on a newer kernel: self-test --nightly."""

import subprocess
import unittest

import test_profiles
from bulkhead_lab import HOST, LAB, SMALL, guest

NEWER = ["--kernel", "6.12"]

# The lengths of the writes that move threads: a call that strace saw in two halves has them in the first.
CROWD = """
service transcode /system.slice/transcode.service THREADS
service stranger /system.slice/cron.service 2
save before
part apply strace -f -y -o /run/trace -e trace=write,pwrite64 bulkhead apply --yes POLICY
part "writes of tasks"
sed -n 's|.*/tasks>, .*, \\([0-9]*\\), 0[ )].*|\\1|p' /run/trace
part threads sh -c "wc -l < $R/bulkhead.bulk/tasks"
bh verify verify
bh again apply --yes POLICY
bh reset reset --yes
save after
part left compare before after
"""

LIFE = """
world
for policy in owner sharing; do
    bh "apply $policy" apply --yes tests/lab/policies/$policy.json
    bh "verify $policy" verify
    bh "again $policy" apply --yes tests/lab/policies/$policy.json
done
save applied
part "foreign while applied" compare_foreign before applied
bh reset reset --yes
save after
part left compare before after
part "foreign after" compare_foreign before after
part files left_over
"""


def setUpModule():
    subprocess.run([LAB / "add-kernel", "linux-image-6.12-cloud-amd64"], check=True, stdout=subprocess.DEVNULL)


class Threads(unittest.TestCase):
    def move(self, threads, host=SMALL, options=()):
        """The lengths of the writes that moved so many threads, once the rest of that policy's life was checked."""
        script = CROWD.replace("THREADS", str(threads)).replace("POLICY", "examples/bulk-throttled.json")
        found = guest(script, host, ["strace"], options, timeout=1200)
        for name in "apply", "verify", "again", "reset":
            self.assertEqual(found[name].status, 0, found[name].text)
        self.assertEqual(found["threads"].text, f"{threads}\n")
        self.assertTrue(found["verify"].text.endswith(f", {threads} threads of 1 service\n"), found["verify"].text)
        self.assertEqual(found["again"].lines[-1], "already as planned: nothing was written")
        self.assertEqual(found["left"].text, "")
        return [int(line) for line in found["writes of tasks"].lines]

    def test_a_newer_kernel_takes_lists(self):
        self.assertEqual(len(self.move(500, options=NEWER)), 1)
        writes = self.move(4096, options=NEWER)
        self.assertEqual(len(writes), 9)
        self.assertLessEqual(max(writes), 4096)

    def test_the_older_one_takes_them_one_by_one(self):
        refused, *writes = self.move(4096)
        self.assertGreater(refused, 1000)  # a list is tried once
        self.assertEqual(len(writes), 4096)
        self.assertLessEqual(max(writes), len("32768\n"))


class NewerKernel(unittest.TestCase):
    def test_two_policies_and_back(self):
        for host in SMALL, HOST:
            with self.subTest(host=host):
                found = guest(LIFE, host, options=NEWER)
                for step in "apply", "verify", "again":
                    for policy in "owner", "sharing":
                        said = found[f"{step} {policy}"]
                        self.assertEqual(said.status, 0, said.text)
                        if step == "again":
                            self.assertEqual(said.lines[-1], "already as planned: nothing was written")
                self.assertEqual(found["reset"].status, 0, found["reset"].text)
                for name in "foreign while applied", "left", "foreign after", "files":
                    self.assertEqual(found[name].text, "", name)


class FullSize(test_profiles.Profiles):
    def test_profiles_of_each_kind(self):
        self.check(test_profiles.FULL_SIZE)

    def test_4096_threads_to_half_of_192_cpus(self):
        found = guest("""
            service proxy /proxy.slice/proxy.service 4096
            service database /system.slice/database.service 3
            save before
            bh apply apply --yes examples/gen13/numa-6-of-12.json
            part cpus cat $C/proxy.slice/proxy.service/cpuset.cpus $R/bulkhead.proxy/cpus_list
            sort -u /proc/$(pidof proxy)/task/*/status > /run/status
            part allowed grep Cpus_allowed_list /run/status
            bh verify verify
            bh again apply --yes examples/gen13/numa-6-of-12.json
            bh reset reset --yes
            save after
            part left compare before after
        """, test_profiles.FULL_SIZE, timeout=1200)
        for name in "apply", "verify", "again", "reset":
            self.assertEqual(found[name].status, 0, found[name].text)
        self.assertEqual(found["cpus"].lines, ["0-47,96-143"] * 2)
        self.assertEqual(found["allowed"].text, "Cpus_allowed_list:\t0-47,96-143\n")
        self.assertEqual(found["again"].lines[-1], "already as planned: nothing was written")
        self.assertEqual(found["left"].text, "")


if __name__ == "__main__":
    unittest.main()

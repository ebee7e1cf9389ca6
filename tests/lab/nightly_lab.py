"""Checks of the lab that take minutes or fetch something: self-test --nightly."""

import subprocess
import unittest

from self_test_support import HOST, LAB, lines, shell


class FullSize(unittest.TestCase):
    def test_192_cpus(self):
        script = "cat /sys/fs/resctrl/cpus_list; cd /sys/devices/system/cpu/cpu95; " \
                 "cat cache/index3/shared_cpu_list topology/thread_siblings_list"
        self.assertEqual(lines(script, "amd-12ccd-192cpu"),
                         ["0-191", "88-95,184-191", "95,191"])


class NewerKernel(unittest.TestCase):
    KERNEL = ["--kernel", "6.12"]

    @classmethod
    def setUpClass(cls):
        subprocess.run([LAB / "add-kernel", "linux-image-6.12-cloud-amd64"], check=True,
                       stdout=subprocess.DEVNULL)

    def test_it_is_not_the_default(self):
        self.assertIn("\n6.12.", "\n" + shell("uname -r", HOST, self.KERNEL))
        self.assertIn("\n6.1.0-", "\n" + shell("uname -r"))

    def test_several_tasks_in_one_write(self):
        script = "mkdir /sys/fs/resctrl/a; sleep 100 & one=$!; sleep 100 & two=$!; " \
                 "echo $one,$two > /sys/fs/resctrl/a/tasks; wc -l < /sys/fs/resctrl/a/tasks"
        self.assertEqual(shell(script, HOST, self.KERNEL), "2\n")

    def test_bandwidth_limits_follow_the_hardware(self):
        bandwidth = lines("cat /sys/fs/resctrl/schemata", "amd-2socket-12ccd", self.KERNEL)[0]
        ids = [*range(12), *range(16, 28)]
        self.assertEqual(bandwidth, "    MB:" + ";".join(f"{n}=4096" for n in ids))

    def test_masks_of_l2(self):
        self.assertEqual(shell("cat /sys/fs/resctrl/schemata", "l2-only", self.KERNEL),
                         "    L2:0=ff;1=ff;2=ff;3=ff\n")

"""Conformance of a newer kernel, and long soaks: self-test --nightly."""

import subprocess
import time
import unittest

from self_test_support import LAB
from test_conformance import EACH_TIME, HOSTS, add_tests, check_cases, check_soak

SEED = int(time.time()) // 86400  # another one each day; a failure names it
OPERATIONS = 10000


class NewerKernel(unittest.TestCase):
    KERNEL = ["--kernel", "6.12"]

    @classmethod
    def setUpClass(cls):
        subprocess.run([LAB / "add-kernel", "linux-image-6.12-cloud-amd64"], check=True, stdout=subprocess.DEVNULL)

    def test_amd(self):
        check_cases(self, "amd-12ccd-nps2", self.KERNEL)

    def test_intel(self):
        check_cases(self, "intel-2socket", self.KERNEL)

    def test_few_closids(self):
        check_cases(self, "few-closids", self.KERNEL)


class SmallHosts(unittest.TestCase):
    """A test for each host that is not looked at each time."""


add_tests(SmallHosts, set(HOSTS) - set(EACH_TIME))


class LongSoak(unittest.TestCase):
    def test_amd(self):
        check_soak(self, "amd-12ccd-nps2", SEED, OPERATIONS)

    def test_intel(self):
        check_soak(self, "intel-2socket", SEED, OPERATIONS)

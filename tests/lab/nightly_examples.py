"""The rest of test_examples.py: self-test --nightly."""

import unittest

from test_examples import ExampleTest


class MoreExamples(ExampleTest):
    def test_no_isolation(self):
        self.life("gen13/no-isolation")

    def test_numa_6_of_12_where_cpuset_was_enabled_before(self):
        self.life("gen13/numa-6-of-12", cpuset_before=True, stands_in=["/system.slice", "/theirs"])

    def test_pqos_2(self):
        self.life("gen13/pqos-2")

    def test_pqos_3(self):
        self.life("gen13/pqos-3", "amd-smt-off")

    def test_whole_ccd_per_service(self):
        self.life("whole-ccd-per-service", "amd-2socket-12ccd")


if __name__ == "__main__":
    unittest.main()

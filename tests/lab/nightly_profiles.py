"""The profiles that test_profiles.py does not look at each time: self-test --nightly."""

import unittest

import test_profiles
from resctrl_lab import profiles


class OtherProfiles(unittest.TestCase):
    def test_each(self):
        others = {*profiles.names()} - {*test_profiles.EACH_TIME, test_profiles.FULL_SIZE}
        test_profiles.Profiles("check_each").check_each(sorted(others))

"""Programs inside of bulkhead-sim. A suite is called with bulkhead-sim and bulkhead, and ends with `main()`."""

import os
import subprocess
import sys
import unittest

SIM, BULKHEAD = (os.path.abspath(path) for path in sys.argv[1:3])
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TURIN = "epyc-9965-nps2"
SMALL = "lab-amd-12ccd-nps2"


def answer_cpuid(folder):
    """answer_cpuid.c, compiled, to be preloaded."""
    path = folder + "/answer_cpuid.so"
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", path, ROOT + "/tests/support/answer_cpuid.c"], check=True)
    return path


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)


def sim(machine, script, *options, **how):
    """A shell script on the host: what it printed, and its exit status."""
    return subprocess.run([SIM, machine, *options, "--", "sh", "-c", script], cwd=ROOT, capture_output=True, text=True,
                          timeout=120, stdin=subprocess.DEVNULL, **how)


def mounts():
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        return file.read()


class Python(unittest.TestCase):
    def python(self, script, machine=SMALL, *options):
        done = subprocess.run([SIM, machine, *options, "--", "/usr/bin/python3", "-c", script], capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()

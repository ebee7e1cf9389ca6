"""The kernel answers the cases of tests/conformance, and a soak, as the kernel model does."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from bulkhead_lab import LAB, REPOSITORY, environment

CASES = "tests/conformance/cases"
# Each with the number of cases that it must run at least: a suite that skips them would be green, too.
HOSTS = {"amd-12ccd-nps2": 650, "intel-2socket": 650, "cgroup-v1": 30, "few-closids": 12, "cat-only": 10, "mba-only": 8,
         "mon-only": 8, "no-rdt": 3, "amd-2socket-3ccd": 5, "cdp": 5, "l2-only": 10, "intel-1socket-cdp": 4}
EACH_TIME = ("amd-12ccd-nps2", "intel-2socket", "cgroup-v1", "mon-only")  # the others are for the night
TIMEOUT = 900


def programs():
    """The folder of the build's programs that the guests get, and its environment."""
    known = environment()
    if "BULKHEAD_BUILD" not in known:
        raise AssertionError("tell the build tree that has conformance-run in BULKHEAD_BUILD")
    return Path(known["BULKHEAD_BUILD"]) / "bin", known


def run(host, path, options=()):
    """What conformance-run says in a guest: its lines."""
    _, known = programs()
    command = [LAB / "run", "--host", host, "--timeout", str(TIMEOUT), "--files", path, *options]
    if host == "no-rdt":
        command.append("--no-mount")
    done = subprocess.run([*command, "--", "conformance-run", "--host", host, path], cwd=REPOSITORY, env=known,
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise AssertionError(f"status {done.returncode}: {done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout.splitlines()


def make_soak(folder, host, seed, operations, kernel="6.1"):
    """A file of random operations with the model's answers."""
    soak = programs()[0] / "conformance-soak"
    text = subprocess.run([soak, "--host", host, "--kernel", kernel, "--seed", str(seed), "--operations",
                           str(operations)], check=True, capture_output=True, text=True).stdout
    path = Path(folder) / f"{host}-{seed}.cases"
    path.write_text(text)
    return str(path)


def check_cases(test, host, options=()):
    """All cases that name the host."""
    *failures, summary = run(host, CASES, options)
    test.assertEqual(failures, [])
    passed, rest = summary.split(" ", 1)
    test.assertEqual(rest, "cases, 0 failed, 0 skipped: the host lacks what they need")
    test.assertGreaterEqual(int(passed), HOSTS[host])


def check_soak(test, host, seed, operations, kernel="6.1", options=()):
    """Random operations; a failure tells the line of what `conformance-soak` prints for that seed."""
    with tempfile.TemporaryDirectory(dir=Path.home()) as folder:
        path = make_soak(folder, host, seed, operations, kernel)
        test.assertEqual(run(host, path, options), ["1 case, 0 failed, 0 skipped: the host lacks what they need"])


class Cases(unittest.TestCase):
    """A test for each host."""


class Soak(unittest.TestCase):
    def test_amd(self):
        check_soak(self, "amd-12ccd-nps2", 1, 500)

    def test_intel(self):
        check_soak(self, "intel-2socket", 2, 500)


def add_tests(cases, hosts):
    for name in hosts:
        setattr(cases, "test_" + name.replace("-", "_"), lambda self, host=name: check_cases(self, host))


add_tests(Cases, EACH_TIME)


if __name__ == "__main__":
    unittest.main()

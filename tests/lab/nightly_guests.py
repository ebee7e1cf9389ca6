"""Checks how the lab runs commands: status, outputs, files, programs of the build, kernels."""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from resctrl_lab import cache
from self_test_support import HOST, LAB, lab, shell


def guest_of(run):
    """The QEMU process of a run and its folder."""
    (process,) = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
    command_line = Path(f"/proc/{process}/cmdline").read_text()
    return int(process), Path(re.search("file:([^\0]+)/console", command_line)[1])


def running(process):
    """Whether a process is there, and not only waits to be collected."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes() != b""
    except OSError:
        return False


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=Path.home())
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class Running(unittest.TestCase):
    def test_status_and_outputs(self):
        done = lab(["sh", "-c", "echo out; echo err >&2; echo more > /dev/stderr; exit 42"])
        self.assertEqual((done.returncode, done.stdout, done.stderr), (42, "out\n", "err\nmore\n"))

    def test_status_of_a_killed_command(self):
        self.assertEqual(lab(["sh", "-c", "kill -9 $$"]).returncode, 128 + 9)

    def test_command_that_is_not_there(self):
        self.assertEqual(lab(["no-such-command"]).returncode, 127)

    def test_wrong_usage(self):
        for words in (["--host", HOST], ["--host", HOST, "--"], ["--", "true"],
                      ["--host", HOST, "--fast", "--", "true"],
                      ["--host", HOST, "--env", "MODE", "--", "true"],
                      ["--host", HOST, "--kernel", "9.9", "--", "true"]):
            with self.subTest(words=words):
                done = subprocess.run([LAB / "run", *words], capture_output=True)
                self.assertEqual((done.returncode, done.stdout), (125, b""))

    def test_large_binary_output_arrives_whole(self):
        script = "dd if=/dev/urandom bs=64k count=64 of=/tmp/data 2> /dev/null; " \
                 "sha256sum /tmp/data >&2; cat /tmp/data"
        done = subprocess.run([LAB / "run", "--host", HOST, "--", "sh", "-c", script],
                              capture_output=True)
        self.assertEqual(len(done.stdout), 4 << 20)
        self.assertEqual(hashlib.sha256(done.stdout).hexdigest(), done.stderr.decode().split()[0])

    def test_what_a_command_leaves_running_does_not_hold_it_up(self):
        started = time.monotonic()
        self.assertEqual(shell("sleep 1000 & (sleep 1000 &); echo done"), "done\n")
        self.assertLess(time.monotonic() - started, 60)

    def test_timeout(self):
        done = lab(["sh", "-c", "echo before; sleep 1000"], options=["--timeout", "5"])
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (124, "before\n", "lab: timed out\n"))
        self.assertEqual(lab(["yes"], options=["--timeout", "5"]).returncode, 124)

    def test_nothing_is_left_running(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            with self.subTest(signal=number):
                run = subprocess.Popen(
                    [LAB / "run", "--host", HOST, "--", "sh", "-c", "echo started; sleep 1000"],
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                run.stdout.readline()
                process, folder = guest_of(run)
                run.send_signal(number)
                run.communicate()
                if number == signal.SIGKILL:
                    time.sleep(1)
                    shutil.rmtree(folder)  # nobody was left to do that
                self.assertEqual(run.returncode, -9 if number == signal.SIGKILL else 128 + number)
                self.assertFalse(running(process))
                self.assertFalse(folder.exists())

    def test_several_at_once(self):
        runs = [subprocess.Popen([LAB / "run", "--host", HOST, "--", "sh", "-c",
                                  f"mkdir /sys/fs/resctrl/g{number}; sleep 1; "
                                  "ls /sys/fs/resctrl | grep ^g"],
                                 stdout=subprocess.PIPE, text=True) for number in range(4)]
        self.assertEqual([run.communicate()[0] for run in runs],
                         [f"g{number}\n" for number in range(4)])

    def test_cold_with_console(self):
        with tempfile.NamedTemporaryFile() as console:
            script = "echo from the guest > /dev/console; sleep 1"
            done = lab(["sh", "-c", script], "no-rdt", ["--cold", "--console", console.name])
            self.assertEqual(done.returncode, 0)
            self.assertIn("from the guest", Path(console.name).read_text())

    def test_mounting(self):
        self.assertNotIn("resctrl", shell("cat /proc/mounts", options=["--no-mount"]))
        self.assertIn("resctrl rw,relatime,cdp", shell("cat /proc/mounts",
                                                       options=["--mount-options", "cdp"]))
        done = lab(["true"], "mba-only", options=["--mount-options", "cdp"])
        self.assertEqual(done.returncode, 125)
        self.assertIn("Invalid argument", done.stderr)


class Files(InFolder):
    def test_programs_come_with_their_libraries(self):
        self.assertIn("PU L#23", shell("hwloc-ls --no-io", options=["--files", "hwloc-ls"]))

    def test_command_by_path_in_this_folder_with_data_and_environment(self):
        write_program(self.folder / "script",
                      "#!/bin/bash\nset -o pipefail\npwd; echo $MODE; cat data/one; cat two\n")
        (self.folder / "data").mkdir()
        (self.folder / "data/one").write_text("first\n")
        (self.folder / "two").write_text("second\n")
        done = lab(["./script"], options=["--files", "data", "--files", "two",
                                          "--env", "MODE=a b"], cwd=self.folder)
        self.assertEqual(done.stdout, f"{self.folder}\na b\nfirst\nsecond\n", done.stderr)

    def test_missing_file(self):
        done = lab(["true"], options=["--files", "/no/such/file"])
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (125, "", "lab: /no/such/file: no such file or program here\n"))


class Build(InFolder):
    def run_with_build(self, command):
        return lab(command, env={**os.environ, "BULKHEAD_BUILD": str(self.folder)})

    def test_its_programs_come_first_and_keep_their_path(self):
        write_program(self.folder / "bin/bulkhead", "#!/bin/sh\necho ours; exec hwloc-ls --version\n")
        shutil.copy(shutil.which("hwloc-ls"), self.folder / "bin/hwloc-ls")
        write_program(self.folder / "bin/ls", "#!/bin/sh\necho not busybox\n")
        (self.folder / "bin/notes").write_text("not a program\n")
        done = self.run_with_build(["bulkhead"])
        self.assertEqual(done.stdout.splitlines()[0], "ours", done.stderr)
        self.assertEqual(done.stdout.splitlines()[1].split()[0], "hwloc-ls")
        self.assertEqual(self.run_with_build(["ls"]).stdout, "not busybox\n")
        self.assertEqual(self.run_with_build(["which", "bulkhead"]).stdout,
                         f"{self.folder}/bin/bulkhead\n")
        self.assertEqual(self.run_with_build(["test", "-e", f"{self.folder}/bin/notes"]).returncode, 1)

    def test_build_that_is_not_there(self):
        done = self.run_with_build(["true"])
        self.assertEqual((done.returncode, done.stderr), (
            125, f"lab: BULKHEAD_BUILD: there is no folder {self.folder}/bin\n"))


class Cache(InFolder):
    """Runs with a cache of their own."""

    def test_kernel_that_cannot_be_fetched(self):
        write_program(self.folder / "bin/apt-cache", "#!/bin/sh\necho no network >&2; exit 100\n")
        done = lab(["true"], env={**os.environ, "BULKHEAD_LAB_CACHE": str(self.folder / "cache"),
                                  "PATH": f"{self.folder}/bin:{os.environ['PATH']}"})
        self.assertEqual((done.returncode, done.stdout), (125, ""))
        self.assertIn("apt-cache depends linux-image-cloud-amd64 failed: no network", done.stderr)
        self.assertIn("tests/lab/add-kernel --default linux-image-....deb", done.stderr)

    def test_two_first_runs_at_once(self):
        shell("true", "no-rdt")  # the usual cache has a kernel then
        shutil.copytree(cache.KERNELS, self.folder / "kernels", symlinks=True,
                        ignore=shutil.ignore_patterns("symbols.json*"))
        runs = [subprocess.Popen([LAB / "run", "--host", "no-rdt", "--", "echo", "started"],
                                 env={**os.environ, "BULKHEAD_LAB_CACHE": str(self.folder)},
                                 stdout=subprocess.PIPE, text=True) for _ in range(2)]
        self.assertEqual([run.communicate()[0] for run in runs], ["started\n"] * 2)
        self.assertEqual(len(list(self.folder.glob("snapshots/no-rdt-*/state"))), 1)


if __name__ == "__main__":
    unittest.main()

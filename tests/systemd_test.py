"""The files in systemd/: systemd understands them, and how exposed it finds the service. Run with the service's file
as it is installed."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "systemd"
SERVICE = Path(sys.argv.pop(1))
MOST_EXPOSED = 2.0  # of 10


class Units(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        # What the service starts is installed nowhere yet.
        service = re.sub(r"(?m)^ExecStart=\S+/bulkheadd$", "ExecStart=/bin/true", SERVICE.read_text())
        self.assertIn("ExecStart=/bin/true\n", service)
        (self.folder / SERVICE.name).write_text(service)
        for name in "bulkheadd.socket", "sys-fs-resctrl.mount":
            shutil.copy(FOLDER / name, self.folder)
        self.units = sorted(self.folder.iterdir())

    def test_systemd_understands_them(self):
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", *self.units], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_the_service_can_do_little_else(self):
        done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager",
                               self.folder / SERVICE.name], capture_output=True, text=True, check=True)
        overall = done.stdout.splitlines()[-1]
        print(overall)
        exposure = float(re.search(r"exposure level for bulkheadd.service: ([\d.]+)", overall)[1])
        self.assertLessEqual(exposure, MOST_EXPOSED, done.stdout)

    def test_it_keeps_what_a_writer_needs(self):
        """What hardening further would take away; found on a real systemd, see tests/lab/test_systemd.py."""
        lines = (self.folder / SERVICE.name).read_text().splitlines()
        for line in ("ReadWritePaths=-/sys/fs/resctrl /run/systemd", "ProtectControlGroups=no",
                     "CapabilityBoundingSet=CAP_DAC_OVERRIDE CAP_SYS_NICE CAP_SYS_PTRACE",
                     "RuntimeDirectoryPreserve=yes"):
            self.assertIn(line, lines)


@unittest.skipIf(os.geteuid(), "only root can make groups and give folders away")
class Groups(unittest.TestCase):
    def test_groups_and_folders_are_made(self):
        with tempfile.TemporaryDirectory() as root:
            (Path(root) / "etc").mkdir()
            for program, *arguments in (["systemd-sysusers", FOLDER / "bulkhead.sysusers"],
                                        ["systemd-tmpfiles", "--create", FOLDER / "bulkhead.tmpfiles"]):
                subprocess.run([program, f"--root={root}", *arguments], check=True, capture_output=True)
            lines = [line.split(":") for line in (Path(root) / "etc/group").read_text().splitlines()]
            group = {name: int(number) for name, _, number, *_ in lines}
            self.assertLessEqual({"bulkhead", "bulkhead-read"}, group.keys())
            found = {name: (Path(root) / name).stat() for name in
                     ("run/bulkhead", "var/lib/bulkhead", "var/log/bulkhead", "etc/bulkhead")}
            self.assertEqual({name: f"{stat.st_mode & 0o7777:o}" for name, stat in found.items()}, {
                "run/bulkhead": "755", "var/lib/bulkhead": "755", "var/log/bulkhead": "750", "etc/bulkhead": "755"})
            self.assertEqual(found["var/log/bulkhead"].st_gid, group["bulkhead"])


if __name__ == "__main__":
    unittest.main(verbosity=2)

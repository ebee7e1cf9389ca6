#!/usr/bin/python3
"""Mounts and files of a simulated host, asked in the ways in which programs ask.

    files_test.py BULKHEAD-SIM BULKHEAD [CLASS[.TEST]...]
"""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from simulator import SIM, SMALL, Python, main, sim


PYTHON_FSOPEN = """python3 -c 'import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print(libc.syscall(430, b"resctrl", 0), ctypes.get_errno())'"""


class Mounts(Python):
    def test_resctrl_is_mounted_and_unmounted(self):
        done = sim(SMALL, """
            mkdir /sys/fs/resctrl/a; umount /sys/fs/resctrl; echo $?; grep -c resctrl /proc/mounts; ls /sys/fs/resctrl
            umount /sys/fs/resctrl; echo $?; mount -t resctrl resctrl /sys/fs/resctrl -o cdp; echo $?
            ls -d /sys/fs/resctrl/info/L3* /sys/fs/resctrl/a; grep resctrl /proc/mounts
            mount -t resctrl resctrl /sys/fs/resctrl; echo $?; umount /sys/fs/resctrl
            mount -t resctrl resctrl /sys/fs/resctrl -o mba_MBps; echo $?""")
        self.assertEqual(done.stdout.split("\n"), [
            "0", "0", "32", "0", "/sys/fs/resctrl/info/L3CODE", "/sys/fs/resctrl/info/L3DATA", "/sys/fs/resctrl/info/L3_MON",
            "resctrl /sys/fs/resctrl resctrl rw,relatime,cdp 0 0", "32", "32", ""], done.stderr)
        self.assertIn("umount: /sys/fs/resctrl: not mounted.\n", done.stderr)
        self.assertIn("resctrl already mounted on /sys/fs/resctrl.\n", done.stderr)

    def test_what_is_open_or_lived_in_is_busy(self):
        done = sim(SMALL, """
            exec 5</sys/fs/resctrl/schemata; umount /sys/fs/resctrl; echo $?; exec 5<&-
            cd /sys/fs/resctrl/info; umount /sys/fs/resctrl; echo $?; umount -l /sys/fs/resctrl; echo $?""")
        self.assertEqual(done.stdout, "32\n32\n0\n")
        self.assertEqual(done.stderr, "umount: /sys/fs/resctrl: target is busy.\n" * 2)

    def test_only_root_mounts(self):
        found = self.python("""if True:
            import ctypes, os
            libc = ctypes.CDLL(None, use_errno=True)
            os.setuid(65534)
            print(libc.umount2(b"/sys/fs/resctrl", 0), ctypes.get_errno())
            print(libc.mount(b"resctrl", b"/sys/fs/resctrl", b"resctrl", 0, None), ctypes.get_errno())
            print(libc.mount(b"resctrl", 1, b"resctrl", 0, None), ctypes.get_errno())""")
        self.assertEqual(found, ["-1", "1", "-1", "1", "-1", "14"])

    def test_other_filesystems_are_the_real_kernels(self):
        done = sim(SMALL, f"""
            mkdir -p /run/here; mount -t tmpfs other /run/here && touch /run/here/file && umount /run/here; echo $?
            ls /run/here; mount -t cgroup2 none /run/here; echo $?; {PYTHON_FSOPEN}""")
        self.assertEqual(done.stdout, "0\n32\n-1 38\n", done.stderr)
        self.assertIn("mount: /run/here: permission denied.\n", done.stderr)

    def test_what_bulkhead_remembers_is_gone_with_the_host(self):
        remembered = ["/var/lib/bulkhead/seen", "/var/log/bulkhead/seen"]
        done = sim(SMALL, f"""
            mkdir /var/lib/bulkhead /var/log/bulkhead; touch {' '.join(remembered)}; echo $?
            head -c 8 /var/lib/dpkg/status; echo
            stat -c '%a %U' /var/lib /var/log""")
        self.assertEqual(done.stdout, "0\nPackage:\n755 root\n755 root\n", done.stderr)
        self.assertEqual([path for path in remembered if os.path.exists(path)], [])


class Files(Python):
    def test_write_itself_answers_and_says_why(self):
        found = self.python("""if True:
            import os
            os.mkdir("/sys/fs/resctrl/a")
            file = os.open("/sys/fs/resctrl/a/schemata", os.O_WRONLY | os.O_TRUNC)
            try: os.write(file, b"L3:0=1ffff\\n")
            except OSError as error: print(error.errno)
            os.close(file)
            print(open("/sys/fs/resctrl/info/last_cmd_status").read().replace(" ", "-"))""")
        self.assertEqual(found, ["22", "Mask-out-of-range"])

    def test_a_write_of_nothing_reaches_the_file(self):
        found = self.python("""if True:
            import os
            def answer(path, flags):
                file = os.open(path, flags)
                try: return os.write(file, b"")
                except OSError as error: return error.errno
            print(answer("/sys/fs/resctrl/schemata", os.O_WRONLY), answer("/sys/fs/resctrl/tasks", os.O_RDWR))
            print(answer("/sys/fs/resctrl/schemata", os.O_RDONLY), answer("/tmp", os.O_TMPFILE | os.O_WRONLY))""")
        self.assertEqual(found, ["22", "0", "9", "0"])

    def test_inodes_stay(self):
        found = self.python("""if True:
            import os
            path = "/sys/fs/resctrl/schemata"
            with open(path) as file: print(os.fstat(file.fileno()).st_ino == os.lstat(path).st_ino == os.stat(path).st_ino)
            print(os.stat("/sys/fs/resctrl/cpus").st_ino != os.stat(path).st_ino)""")
        self.assertEqual(found, ["True", "True"])

    def test_modes_hold_for_users_and_for_root(self):
        found = self.python("""if True:
            import os
            def answer(act, *what):
                try: act(*what)
                except OSError as error: return error.errno
                return 0
            print(oct(os.stat("/sys/fs/resctrl/schemata").st_mode), oct(os.stat("/sys/fs/resctrl/size").st_mode))
            print(answer(os.open, "/sys/fs/resctrl/size", os.O_WRONLY), answer(os.open, "/sys/fs/resctrl/new", os.O_CREAT))
            os.setuid(65534)
            print(answer(os.open, "/sys/fs/resctrl/schemata", os.O_WRONLY), answer(os.mkdir, "/sys/fs/resctrl/b"))
            print(answer(os.open, "/sys/fs/resctrl/schemata", os.O_RDONLY))""")
        self.assertEqual(found, ["0o100644", "0o100444", "13", "13", "13", "13", "0"])

    def test_links_and_devices_cannot_be_made(self):
        found = self.python("""if True:
            import os
            def answer(act, *what):
                try: act(*what)
                except OSError as error: return error.errno
            for top in ("/sys/fs/resctrl/", "/sys/fs/cgroup/"):
                print(answer(os.symlink, "x", top + "l"), answer(os.mknod, top + "n"), answer(os.mkfifo, top + "p"))
            print(answer(os.link, "/sys/fs/resctrl/schemata", "/sys/fs/resctrl/l"))""")
        self.assertEqual(found, ["1", "13", "1"] * 2 + ["1"])  # a regular file: as vfs_create() answers

    def test_the_current_folder_is_the_simulated_hosts(self):
        done = subprocess.run([SIM, SMALL, "--", "sh", "-c", "cat online; pwd; mkdir inside 2>&1"], cwd="/sys/devices/system/cpu",
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.stdout.splitlines()[:2], ["0-23", "/sys/devices/system/cpu"], done.stderr)

    def test_a_current_folder_that_is_only_outside_is_left(self):
        with tempfile.TemporaryDirectory(dir="/run") as folder:
            done = subprocess.run([SIM, SMALL, "--", "pwd", "-P"], cwd=folder, capture_output=True, text=True, timeout=60,
                                  check=False)
        self.assertEqual(done.stdout, "/\n", done.stderr)

    def test_a_file_of_a_group_that_is_gone_is_no_device(self):
        found = self.python("""if True:
            import os
            os.mkdir("/sys/fs/resctrl/a")
            file = os.open("/sys/fs/resctrl/a/tasks", os.O_RDONLY)
            os.rmdir("/sys/fs/resctrl/a")
            try: os.pread(file, 100, 0)
            except OSError as error: print(error.errno)""")
        self.assertEqual(found, ["19"])


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""AMD's firmware behind /dev/hsmp, and the devices beside it.

    hsmp_test.py BULKHEAD-SIM BULKHEAD [CLASS[.TEST]...]
"""

import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from simulator import SIM, SMALL, TURIN, main, sim


class Hsmp(unittest.TestCase):
    """/dev/hsmp, asked as e_smi does: struct hsmp_message is packed to 4 bytes."""

    ASK = """if True:
        import fcntl, os, struct, sys
        LAYOUT = "<IHH8IHxx"
        COMMAND = 3 << 30 | struct.calcsize(LAYOUT) << 16 | 0xF8 << 8
        def ask(message, words=(), answers=1, flags=os.O_RDONLY, socket=0):
            data = bytearray(struct.pack(LAYOUT, message, len(words), answers, *words, *[0] * (8 - len(words)), socket))
            try: file = os.open("/dev/hsmp", flags)
            except OSError as error: return "open", error.errno
            try: fcntl.ioctl(file, COMMAND, data)
            except OSError as error: return "errno", error.errno
            finally: os.close(file)
            return struct.unpack(LAYOUT, data)[3:3 + max(answers, 1)]
        """

    def ask(self, machine, calls, *options):
        script = self.ASK + "".join(f"\n        print({call})" for call in calls)
        done = subprocess.run([SIM, machine, *options, "--", "/usr/bin/python3", "-c", script], capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_firmware_answers(self):
        self.assertEqual(self.ask(TURIN, ["ask(1, (41,))", "ask(3)", "ask(0x0f, answers=2)", "ask(7)", "ask(0x14)"]),
                         ["(42,)", "(7,)", "(2000, 3200)", "(500000,)", f"({614 << 20},)"])

    def test_settings_are_kept_and_need_root(self):
        found = self.ask(TURIN, ["ask(5, (300000,), 0, os.O_WRONLY)", "ask(6)", "os.setuid(65534)", "ask(6)",
                                 "ask(5, (400000,), 0, os.O_RDWR)"])
        self.assertEqual(found, ["(300000,)", "(300000,)", "None", "(300000,)", "('open', 13)"])

    def test_the_driver_refuses_as_linux_does(self):
        found = self.ask(TURIN, ["ask(0)", "ask(99)", "ask(4, flags=os.O_WRONLY)", "ask(5, (1,), 0)", "ask(4, (1,))",
                                 "ask(4, answers=2)", "ask(4, socket=1)"])
        self.assertEqual(found, [f"('errno', {number})" for number in (42, 42, 22, 22, 22, 22, 19)])

    def test_memory_that_services_use_shows(self):
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/services.json"
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"services": [{"name": "proxy", "threads": 384}]}')
            word, busy = self.ask(TURIN, ["__import__('time').sleep(1) or ask(0x14)[0]", "ask(0x11)[0]"], "--services", path)
            used, percent = int(word) >> 8 & 0xfff, int(word) & 0xff
            self.assertGreater(used, 0)
            self.assertIn(percent - used * 100 // 614, (0, 1))  # GB/s are cut
            self.assertIn(int(busy), range(1, 101))

    def test_there_is_none_on_intel_and_in_guests(self):
        for machine in ("xeon-8380-2s", SMALL):
            self.assertIn("cannot access '/dev/hsmp'", sim(machine, "ls /dev/hsmp").stderr)

    def test_other_devices_are_there_and_the_hosts_own_stay(self):
        before = os.listdir("/dev")
        done = sim(TURIN, "echo x > /dev/null && head -c 3 /dev/zero | wc -c; ls /dev/pts/ptmx; readlink /dev/stdin; rm /dev/zero")
        self.assertEqual(done.stdout, "3\n/dev/pts/ptmx\n/proc/self/fd/0\n", done.stderr)
        self.assertEqual(os.listdir("/dev"), before)

    def test_devices_are_everybodys_who_may_use_the_real_ones(self):
        done = sim(TURIN, "umask 077; stat -c '%a %n' /dev /dev/null; setpriv --reuid 65534 --clear-groups sh -c 'echo x > /dev/null && echo ok'")
        self.assertEqual(done.stdout, "755 /dev\n666 /dev/null\nok\n", done.stderr)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Programs inside of bulkhead-sim, as they see the simulated host, and what is left of it afterwards.

    sim_test.py BULKHEAD-SIM BULKHEAD
"""

import os
import re
import signal
import socket as stdlib_socket
import subprocess
import sys
import tempfile
import time
import unittest

SIM, BULKHEAD = (os.path.abspath(path) for path in sys.argv[1:3])
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PYTHON_FSOPEN = """python3 -c 'import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print(libc.syscall(430, b"resctrl", 0), ctypes.get_errno())'"""
TURIN = "epyc-9965-nps2"
SMALL = "lab-amd-12ccd-nps2"


def sim(machine, script, *options, **how):
    """A shell script on the host: what it printed, and its exit status."""
    return subprocess.run([SIM, machine, *options, "--", "sh", "-c", script], cwd=ROOT, capture_output=True, text=True,
                          timeout=120, stdin=subprocess.DEVNULL, **how)


def mounts():
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        return file.read()


class Programs(unittest.TestCase):
    def test_lscpu_sees_the_processor(self):
        shown = dict(line.split(":", 1) for line in sim(TURIN, "LC_ALL=C lscpu").stdout.splitlines())
        flags = shown.pop("Flags").split()
        self.assertEqual({name.strip(): value.strip() for name, value in shown.items()}, {
            "Architecture": "x86_64", "CPU op-mode(s)": "32-bit, 64-bit", "Address sizes": "52 bits physical, 57 bits virtual",
            "Byte Order": "Little Endian", "CPU(s)": "384", "On-line CPU(s) list": "0-383", "Vendor ID": "AuthenticAMD",
            "Model name": "AMD EPYC 9965 192-Core Processor", "CPU family": "26", "Model": "17", "Thread(s) per core": "2",
            "Core(s) per socket": "192", "Socket(s)": "1", "Stepping": "0", "BogoMIPS": "4500.00", "Virtualization": "AMD-V",
            "L1d cache": "9 MiB (192 instances)", "L1i cache": "6 MiB (192 instances)", "L2 cache": "192 MiB (192 instances)",
            "L3 cache": "384 MiB (12 instances)", "NUMA node(s)": "2", "NUMA node0 CPU(s)": "0-95,192-287",
            "NUMA node1 CPU(s)": "96-191,288-383"})
        self.assertLessEqual({"lm", "sse2", "avx2", "avx512f", "cat_l3", "cdp_l3", "mba", "rdt_a", "cqm_llc", "cqm_mbm_total"},
                             set(flags))

    def test_lscpu_sees_two_sockets_and_cpus_that_are_off(self):
        done = sim("xeon-8380-2s", """echo 0 > /sys/devices/system/cpu/cpu159/online
            LC_ALL=C lscpu | grep -E '^(CPU op|On-line|Off-line|Model name|Thread|Core|Socket|L3|NUMA)' | tr -s ' '
            tail -n 28 /proc/cpuinfo | grep -E '^(processor|siblings)'""")
        self.assertEqual(done.stdout.splitlines(), [
            "CPU op-mode(s): 32-bit, 64-bit", "On-line CPU(s) list: 0-158", "Off-line CPU(s) list: 159",
            "Model name: Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz", "Thread(s) per core: 2", "Core(s) per socket: 40",
            "Socket(s): 2", "L3 cache: 120 MiB (2 instances)", "NUMA node(s): 2", "NUMA node0 CPU(s): 0-39,80-119",
            "NUMA node1 CPU(s): 40-79,120-158", "processor\t: 158", "siblings\t: 79"], done.stderr)

    def test_hwloc_sees_the_topology(self):
        shown = sim(TURIN, "lstopo-no-graphics --no-io --of console").stdout
        for kind, count in (("L3 L#", 12), ("NUMANode L#", 2), ("Core L#", 192), ("PU L#", 384)):
            self.assertEqual(shown.count(kind), count, kind)

    def test_bulkhead_needs_to_know_nothing_of_it(self):
        with tempfile.TemporaryDirectory() as folder:
            done = sim(TURIN, f"""
                state() {{ find /sys/fs/resctrl /sys/fs/cgroup -type f ! -path '*mon_data*' ! -name tasks ! -name 'cgroup.*' |
                           sort | xargs grep -H . ; }}
                mkdir -p /sys/fs/cgroup/system.slice/proxy.service; state > {folder}/before
                run() {{ {BULKHEAD} "$@" --runtime-dir {folder}/run; echo "$1 $?"; }}
                run apply examples/gen13/numa-6-of-12.json --yes; cat /sys/fs/resctrl/bulkhead.proxy/cpus_list
                run verify; run reset --yes; state > {folder}/after""")
            self.assertIn("apply 0\n0-95,192-287\n", done.stdout, done.stderr)
            self.assertIn("verify 0\n", done.stdout)
            self.assertIn("reset 0\n", done.stdout)
            with open(folder + "/before", encoding="utf-8") as before, open(folder + "/after", encoding="utf-8") as after:
                text = before.read()
                self.assertEqual(after.read(), text)
                self.assertIn("/sys/fs/resctrl/schemata:", text)


class Pqos(unittest.TestCase):
    """Debian's pqos and rdtset. The processor itself may lack the leaves that they ask it for: those are answered."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        library = cls.folder.name + "/answer_cpuid.so"
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", library, ROOT + "/tests/support/answer_cpuid.c"], check=True)
        cls.env = f"env LD_PRELOAD={library} CPUID_THREADS=24 CPUID_L3_THREADS=2"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_pqos_defines_and_assigns_classes(self):
        done = sim(SMALL, f"""
            {self.env} pqos --iface=os -e 'llc:1=0xff;mba:1=40'; {self.env} pqos --iface=os -a 'llc:1=0-3'
            cat /sys/fs/resctrl/COS1/schemata /sys/fs/resctrl/COS1/cpus_list; {self.env} pqos --iface=os -s
            {self.env} pqos --iface=os -R; cat /sys/fs/resctrl/COS1/schemata /sys/fs/resctrl/COS1/cpus_list""",
                   "--kernel", "6.1")
        self.assertIn("Core Complex 11 MBA COS1 => 40 requested, 40 applied\n", done.stdout, done.stderr)
        self.assertIn("    MB:" + ";".join(f"{ccd}=  40" for ccd in range(12)) + "\n    L3:" +
                      ";".join(f"{ccd}=00ff" for ccd in range(12)) + "\n0-3\n", done.stdout)
        self.assertIn("    L3CA COS1 => MASK 0xff\n", done.stdout)
        self.assertIn("Core 3, L2ID 1, L3ID 1 => COS1\n", done.stdout)
        self.assertIn("Allocation reset successful\n    MB:" + ";".join(f"{ccd}=2048" for ccd in range(12)), done.stdout)

    def test_pqos_monitors_as_far_as_it_can_without_a_pmu(self):
        done = sim(SMALL, f"{self.env} pqos --iface=os -t 1 -m 'llc:0-3'; ls /sys/fs/resctrl/mon_groups | wc -l", "--kernel", "6.1")
        self.assertIn("ERROR: Failed to open perf event!\n", done.stdout)
        self.assertTrue(done.stdout.endswith("\n0\n"), done.stdout)

    def test_pqos_mounts_resctrl_itself(self):
        done = sim(SMALL, f"""
            umount /sys/fs/resctrl; {self.env} pqos --iface=os -e 'llc:1=0xff'; grep resctrl /proc/mounts
            {self.env} pqos --iface=os -R l3cdp-on; grep resctrl /proc/mounts""", "--kernel", "6.1")
        self.assertIn("Allocation configuration altered.\nresctrl /sys/fs/resctrl resctrl rw,relatime 0 0\n", done.stdout,
                      done.stderr)
        self.assertTrue(done.stdout.endswith("resctrl /sys/fs/resctrl resctrl rw,relatime,cdp 0 0\n"), done.stdout)

    def test_rdtset_binds_its_command(self):
        done = sim(SMALL, f"{self.env} rdtset --iface=os -t 'l3=0xf;cpu=2-4' -c 2-4 sh -c 'nproc; taskset -cp $$'",
                   "--kernel", "6.1")
        self.assertRegex(done.stdout, r"3\npid \d+'s current affinity list: 2-4\n")

    def test_rdtset_runs_a_command_in_a_class(self):
        done = sim(SMALL, f"""{self.env} rdtset --iface=os -t 'l3=0xf;cpu=0-1' -c 0 sh -c '
            file=$(grep -lx 0-1 /sys/fs/resctrl/COS*/cpus_list); grep L3: ${{file%/*}}/schemata'""", "--kernel", "6.1")
        self.assertIn("    L3:" + ";".join(["0=000f"] + [f"{ccd}=ffff" for ccd in range(1, 12)]) + "\n", done.stdout,
                      done.stderr)


class Python(unittest.TestCase):
    def python(self, script, machine=SMALL, *options):
        done = subprocess.run([SIM, machine, *options, "--", "/usr/bin/python3", "-c", script], capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()


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


class Affinity(Python):
    def test_programs_count_simulated_cpus(self):
        self.assertEqual(sim(TURIN, "nproc; taskset -c 380-390 nproc; taskset -cp $$ | sed 's/.*: //'").stdout,
                         "384\n4\n0-383\n")

    def test_taskset_binds_and_children_follow(self):
        done = sim(SMALL, """
            echo +cpuset > /sys/fs/cgroup/cgroup.subtree_control; mkdir /sys/fs/cgroup/g
            echo 4-7 > /sys/fs/cgroup/g/cpuset.cpus; echo $$ > /sys/fs/cgroup/g/cgroup.procs
            taskset -c 6-9 sh -c 'nproc; sh -c "grep Cpus_allowed_list /proc/self/status"'
            taskset -c 8 true; echo $?; nproc; taskset -cp 5 $$ >/dev/null; nproc""")
        self.assertEqual(done.stdout, "2\nCpus_allowed_list:\t6-7\n1\n4\n1\n")
        self.assertRegex(done.stderr, r"^taskset: failed to set pid \d+'s affinity: Invalid argument\n$")

    def test_each_thread_has_its_own(self):
        found = self.python("""if True:
            import os, threading
            def run():
                os.sched_setaffinity(0, {3})
                child = threading.Thread(target=lambda: print(os.sched_getaffinity(0)))
                child.start()
                child.join()
            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
            print(len(os.sched_getaffinity(0)))""")
        self.assertEqual(found, ["{3}", "24"])

    def test_processes_of_others_stay_as_they_are(self):
        found = self.python("""if True:
            import os
            parent = os.getpid()
            if os.fork() == 0:
                os.setuid(65534)
                for process in (0, parent, 2, 99999):
                    try: print(os.sched_setaffinity(process, {1}))
                    except OSError as error: print(error.errno)
                os._exit(0)
            os.wait()""")
        self.assertEqual(found, ["None", "1", "22", "3"])

    def test_who_is_killed_in_the_middle_leaves_no_trace(self):
        done = sim(SMALL, """
            for each in 1 2 3 4; do
                python3 -c 'import os
while True: os.sched_setaffinity(0, os.sched_getaffinity(0))' & all="$all $!"
            done; sleep 0.7; kill -9 $all; wait; nproc; pgrep python3 | wc -l""")
        self.assertEqual(done.stdout, "24\n0\n", done.stderr)


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


class Tasks(unittest.TestCase):
    def test_processes_are_real_and_children_follow_their_parents(self):
        done = sim(SMALL, """
            mkdir /sys/fs/resctrl/a /sys/fs/cgroup/g; echo $$ > /sys/fs/resctrl/a/tasks; echo $$ > /sys/fs/cgroup/g/cgroup.procs
            sleep 60 & sleep 0.1
            grep -qx $! /sys/fs/resctrl/a/tasks && grep -qx $! /sys/fs/cgroup/g/cgroup.procs && echo inherited
            cat /proc/$!/cpu_resctrl_groups /proc/$!/cgroup; readlink /proc/self/exe
            kill $!; wait $!; grep -qx $! /sys/fs/resctrl/a/tasks || echo gone""")
        self.assertEqual(done.stdout.split("\n")[:5], ["inherited", "res:a", "mon:", "0::/g", "/usr/bin/readlink"])
        self.assertIn("gone", done.stdout)

    def test_children_are_known_whatever_ended_their_parents(self):
        for end in ("exit 0", "kill -9 $$", "kill -SEGV $$"):
            done = sim(SMALL, f"""
                mkdir /sys/fs/resctrl/a
                sh -c 'echo $$ > /sys/fs/resctrl/a/tasks; sh -c "sleep 60 & {end.replace('$', chr(92) + '$')}"; exit 0'
                [ "$(cat /sys/fs/resctrl/a/tasks)" = "$(pgrep sleep)" ] && echo same; pkill sleep""")
            self.assertEqual(done.stdout, "same\n", (end, done.stderr))

    def test_threads_begin_where_the_thread_was_that_made_them(self):
        script = """if True:
            import os, threading
            def groups(): print(open("/proc/thread-self/cpu_resctrl_groups").read().split()[0])
            def in_thread(act):
                thread = threading.Thread(target=act)
                thread.start()
                thread.join()
            def move_and_make():
                open("/sys/fs/resctrl/a/tasks", "w").write(str(threading.get_native_id()))
                in_thread(groups)
            os.mkdir("/sys/fs/resctrl/a")
            in_thread(move_and_make)
            in_thread(groups)"""
        done = subprocess.run([SIM, SMALL, "--", "/usr/bin/python3", "-c", script], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.stdout, "res:a\nres:/\n", done.stderr)

    def test_threads_are_allowed_what_their_cgroup_has(self):
        done = sim(SMALL, """
            echo +cpuset > /sys/fs/cgroup/cgroup.subtree_control; mkdir /sys/fs/cgroup/g
            echo 4-5 > /sys/fs/cgroup/g/cpuset.cpus; echo $$ > /sys/fs/cgroup/g/cgroup.procs
            grep -E 'Name|Cpus_allowed_list' /proc/self/status; nl=$(ls /proc/self/fd | wc -l); [ $nl -gt 2 ] && echo descriptors""")
        self.assertEqual(done.stdout, "Name:\tgrep\nCpus_allowed_list:\t4-5\ndescriptors\n", done.stderr)

    def test_services_have_processes_threads_and_a_page(self):
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/services.json"
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"services": [{"name": "proxy", "threads": 24, "cgroup": "/web/proxy", "metrics_port": 19377}]}')
            done = sim(SMALL, """
                cat /sys/fs/cgroup/web/proxy/cgroup.procs > /tmp/p; grep -E 'Name|Threads' /proc/$(cat /tmp/p)/status
                sleep 1.5; cat /sys/fs/resctrl/mon_data/mon_L3_00/llc_occupancy
                python3 -c 'import urllib.request as u; print(u.urlopen("http://127.0.0.1:19377/metrics").read().decode())'""",
                       "--services", path, "--speed", "20")
            lines = done.stdout.split("\n")
            self.assertEqual(lines[:2], ["Name:\tproxy", "Threads:\t24"], done.stderr)
            self.assertGreater(int(lines[2]), 8 << 20)
            requests = re.search(r'^proxy_requests_total\{service="proxy"\} (\d+)$', done.stdout, re.M)
            self.assertGreater(int(requests[1]), 1000)

    def test_a_service_that_is_killed_takes_its_page_with_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/services.json"
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"services": [{"name": "first", "threads": 2, "metrics_port": 19378},'
                           ' {"name": "second", "threads": 2, "metrics_port": 19379}]}')
            done = sim(SMALL, """
                pkill -9 first; while pgrep first; do sleep 0.1; done
                for port in 19378 19379; do python3 -c "import urllib.request as u
try: print(u.urlopen('http://127.0.0.1:$port/metrics', timeout=5).status)
except u.URLError as error: print(error.reason)"; done""", "--services", path)
            self.assertEqual(done.stdout, "[Errno 111] Connection refused\n200\n", done.stderr)


class Control(unittest.TestCase):
    def test_the_outside_sets_counters_breaks_files_and_unplugs(self):
        with tempfile.TemporaryDirectory() as folder:
            socket = folder + "/control"
            done = sim(SMALL, f"""
                tell() {{ {SIM} --tell {socket} "$1"; echo "$?"; }}
                tell 'counter / 3 mbm_total_bytes 1000'; cat /sys/fs/resctrl/mon_data/mon_L3_03/mbm_total_bytes
                tell 'fault read *schemata EIO'; cat /sys/fs/resctrl/schemata 2>&1 >/dev/null
                tell 'offline 3'; cat /sys/devices/system/cpu/online; tell nonsense""", "--control", socket)
            self.assertEqual(done.stdout.split("\n")[:-1],
                             ["ok", "0", "64000", "ok", "0", "cat: /sys/fs/resctrl/schemata: Input/output error",
                              "ok", "0", "0-2,4-23", "error: no command 'nonsense'", "1"], done.stderr)
            self.assertFalse(os.path.exists(socket))

    def test_it_is_not_where_nobody_could_reach_it(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink("/mnt", folder + "/link")
            for path, covering in (("/mnt/c", "/mnt"), ("/run/c", "/run"), (folder + "/link/c", "/mnt"), ("/tmp/../sys/c", "/sys")):
                done = sim(SMALL, "true", "--control", path)
                self.assertEqual((done.returncode, done.stderr), (
                    2, f"bulkhead-sim: the control socket cannot be below {covering}, where the simulated host has files of "
                    f"its own: take a folder like /tmp, not {path}\n"))

    def test_nonsense_is_refused_and_nobody_is_held_up(self):
        with tempfile.TemporaryDirectory() as folder:
            socket = folder + "/control"
            with stdlib_socket.socket(stdlib_socket.AF_UNIX) as dead:
                dead.bind(socket)  # what a killed simulator leaves
            done = sim(SMALL, f"""
                python3 -c 'import socket, time
s = socket.socket(socket.AF_UNIX); s.connect("{socket}"); print("silent", flush=True); open("{folder}/ready", "w"); time.sleep(60)' &
                while ! [ -e {folder}/ready ]; do sleep 0.05; done
                tell() {{ {SIM} --tell {socket} "$1"; }}
                tell 'pass 99999999'; tell 'pass 3'; tell 'counter / 0 nosuch 1'; tell 'counter / 99 llc_occupancy 1'
                tell 'counter rmid=4096 0 llc_occupancy 1'; {SIM} {SMALL} --control {socket} -- true 2>&1; echo $?""",
                       "--control", socket)
            self.assertEqual(done.stdout.splitlines(), [
                "silent", "error: at most 3600 seconds pass at once", "ok",
                "error: 'nosuch' is no event of this host: llc_occupancy, mbm_total_bytes, mbm_local_bytes",
                "error: there is no domain 99", "error: this host has RMIDs 0 to 255",
                f"bulkhead-sim: another simulated host listens at {socket}", "1"], done.stderr)


class Endings(unittest.TestCase):
    def test_the_status_is_the_commands(self):
        self.assertEqual(sim(SMALL, "exit 7").returncode, 7)
        self.assertEqual(sim(SMALL, "kill -9 $$").returncode, 128 + signal.SIGKILL)
        missing = subprocess.run([SIM, SMALL, "--", "/no/such/program"], capture_output=True, text=True, check=False)
        self.assertEqual((missing.returncode, missing.stderr),
                         (127, "bulkhead-sim: cannot run /no/such/program: No such file or directory\n"))

    def test_nothing_is_left_whatever_the_command_did(self):
        before = mounts()
        sim(SMALL, "sleep 1000 & mkdir /sys/fs/resctrl/a; mount -t tmpfs tmpfs /tmp; kill -9 $$")
        self.assertEqual(mounts(), before)

    def test_a_killed_simulator_takes_all_with_it(self):
        before = mounts()
        mark = f"3{os.getpid()}"  # seconds that nobody else sleeps
        running = subprocess.Popen([SIM, SMALL, "--", "sleep", mark])
        self.assertTrue(self.eventually(lambda: self.sleeps(mark)))
        running.kill()
        running.wait()
        self.assertTrue(self.eventually(lambda: not self.sleeps(mark)))
        self.assertEqual(mounts(), before)

    def test_signals_are_passed_on(self):
        with tempfile.TemporaryDirectory() as folder:
            running = subprocess.Popen([SIM, SMALL, "--", "sh", "-c",
                                        f"trap 'exit 9' TERM; touch {folder}/up; while :; do sleep 0.1; done"])
            self.assertTrue(self.eventually(lambda: os.path.exists(folder + "/up")))
            running.terminate()
            self.assertEqual(running.wait(timeout=10), 9)

    def test_users_are_told_what_it_takes(self):
        done = sim(SMALL, "true", user=65534, group=65534)
        self.assertEqual(done.returncode, 5)
        self.assertIn("cannot make namespaces: run as root (sudo bulkhead-sim ...)", done.stderr)

    def test_a_missing_file_is_a_wrong_one(self):
        done = sim(SMALL, "true", "--services", "/no/such/file")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertEqual(sim("/no/such/machine.json", "true").returncode, 3)

    def test_who_is_root_of_a_user_namespace_only_is_told_what_it_takes(self):
        done = subprocess.run(["unshare", "-Ur", SIM, SMALL, "--", "true"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("run as root of this host (sudo bulkhead-sim ...)", done.stderr)

    def test_wrong_words_are_usage(self):
        for words, message in ((["nosuch", "--", "true"], "nosuch"), ([SMALL], "name a command after --"),
                               ([SMALL, "--kernel", "5.4", "--", "true"], "there is no model of Linux 5.4"),
                               ([SMALL, "--speed", "0", "--", "true"], "the speed is more than 0")):
            done = subprocess.run([SIM, *words], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(message, done.stderr)

    @staticmethod
    def sleeps(mark):
        return subprocess.run(["pgrep", "-fx", f"sleep {mark}"], capture_output=True, check=False).returncode == 0

    @staticmethod
    def eventually(holds):
        for _ in range(200):
            if holds():
                return True
            time.sleep(0.05)
        return False


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)

#!/usr/bin/python3
"""Processes, threads and services on simulated CPUs and in simulated groups.

    tasks_test.py BULKHEAD-SIM BULKHEAD [CLASS[.TEST]...]
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from simulator import SIM, SMALL, TURIN, Python, main, sim


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

    def test_time_for_which_there_is_too_much_work_does_not_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/services.json"
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"services": [{"name": "proxy", "threads": 24, "cgroup": "/web/proxy", "metrics_port": 19376}]}')
            done = sim(SMALL, """for turn in 1 2 3 4 5 6 7 8 9 10; do sleep 0.2; python3 -c 'import urllib.request as u
print(u.urlopen("http://127.0.0.1:19376/metrics").read().decode())' | grep ^simulated; done""", "--services", path, "--speed", "100000")
            seconds = [float(line.split()[1]) for line in done.stdout.splitlines()]
            self.assertEqual(len(seconds), 10, done.stderr)
            self.assertEqual(sorted(set(seconds)), seconds)  # it goes on
            self.assertRegex(done.stderr, r"^bulkhead-sim: time passed \d+ times as fast as the clock, not 100000 times: this machine "
                                          r"could do no more\n$")

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


if __name__ == "__main__":
    main()

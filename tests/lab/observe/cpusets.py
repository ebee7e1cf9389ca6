"""cgroup v2: cpusets and partitions."""

import os
import time

from report import CGROUP, attempt, heading, read, show, shown, sleeper, write


def cpusets():
    heading("cgroup v2 cpusets and partitions",
            "Groups P and C inside P; the last column: P's partition state, "
            "cpuset.cpus.effective of the root group, P, and C where it exists.")
    write(f"{CGROUP}/cgroup.subtree_control", "+cpuset")
    parent, child = f"{CGROUP}/P", f"{CGROUP}/P/C"
    os.mkdir(parent)
    root_cpus = f"{CGROUP}/cpuset.cpus.effective"

    def where():
        time.sleep(0.3)  # hotplug and rmdir take effect a moment later
        fields = [read(f"{parent}/cpuset.cpus.partition"), "root " + read(root_cpus),
                  "P " + read(f"{parent}/cpuset.cpus.effective")]
        if os.path.exists(f"{child}/cpuset.cpus.partition"):
            fields.append("C " + read(f"{child}/cpuset.cpus.partition") + " "
                          + read(f"{child}/cpuset.cpus.effective"))
        return ", ".join(fields)

    def put(group, name, text):
        attempt(f"{shown(text)} to `{group[len(CGROUP) + 1:]}/{name}`", write, f"{group}/{name}",
                text, after=where, clear=False)

    show("new group", where)
    put(parent, "cpuset.cpus.partition", "root\n")
    put(parent, "cpuset.cpus.partition", "isolated\n")
    put(parent, "cpuset.cpus.partition", "member\n")
    for text in ("0-3\n", "99\n", "22-25\n", "abc\n", "3-1\n", "0-3", "\n", "", "4,6-7\n", "4-7\n"):
        put(parent, "cpuset.cpus", text)
    for text in ("0\n", "1\n", "2\n", "0-1\n", "abc\n", "\n"):
        put(parent, "cpuset.mems", text)
    for text in ("foo\n", "root\n", "isolated\n", "root\n", "member\n", "root\n"):
        put(parent, "cpuset.cpus.partition", text)
    put(parent, "cpuset.cpus", "4-5\n")
    put(parent, "cpuset.cpus", "\n")
    put(parent, "cpuset.cpus", "4-7\n")
    put(parent, "cpuset.cpus.partition", "root\n")

    sibling = f"{CGROUP}/S"
    os.mkdir(sibling)
    put(sibling, "cpuset.cpus", "6-9\n")
    put(sibling, "cpuset.cpus.partition", "root\n")
    show("S's partition state", lambda: read(f"{sibling}/cpuset.cpus.partition"))
    put(sibling, "cpuset.cpus", "8-9\n")
    put(sibling, "cpuset.cpus.partition", "root\n")
    show("S's partition state", lambda: read(f"{sibling}/cpuset.cpus.partition"))
    put(parent, "cpuset.cpus", "4-9\n")
    show("S's partition state", lambda: read(f"{sibling}/cpuset.cpus.partition"))
    put(parent, "cpuset.cpus", "4-7\n")
    show("S's partition state", lambda: read(f"{sibling}/cpuset.cpus.partition"))
    put(sibling, "cpuset.cpus.partition", "member\n")
    put(parent, "cpuset.cpus.partition", "root\n")

    attempt("mkdir C without +cpuset in P", os.mkdir, child, clear=False, after=where)
    put(parent, "cgroup.subtree_control", "+cpuset\n")
    put(child, "cpuset.cpus", "6-7\n")
    put(child, "cpuset.cpus.partition", "root\n")
    put(child, "cpuset.cpus", "4-7\n")
    put(child, "cpuset.cpus.partition", "root\n")
    put(child, "cpuset.cpus", "6-8\n")
    put(child, "cpuset.cpus.partition", "root\n")
    put(child, "cpuset.cpus", "6-7\n")
    put(child, "cpuset.cpus.partition", "root\n")
    put(parent, "cpuset.cpus.partition", "member\n")
    put(child, "cpuset.cpus.partition", "root\n")
    put(parent, "cpuset.cpus.partition", "root\n")
    put(child, "cpuset.cpus.partition", "root\n")
    with sleeper() as (pid,):
        put(child, "cgroup.procs", f"{pid}\n")
        show("the task's allowed CPUs", lambda: [line for line in read(f"/proc/{pid}/status").splitlines()
                               if "Cpus_allowed_list" in line][0])
        attempt("sched_setaffinity of it to CPU 0", os.sched_setaffinity, pid, [0], clear=False)
        attempt("sched_setaffinity of it to CPUs 0 and 6", os.sched_setaffinity, pid, [0, 6], clear=False,
                after=lambda: str(sorted(os.sched_getaffinity(pid))))
        put(parent, "cgroup.procs", f"{pid}\n")
        attempt("rmdir C with a task in it", os.rmdir, child, clear=False, after=where)
        write("/sys/devices/system/cpu/cpu6/online", "0")
        show("CPU 6 offline", where)
        write("/sys/devices/system/cpu/cpu7/online", "0")
        show("CPU 7 offline too: C has none left, a task in it", where)
        write("/sys/devices/system/cpu/cpu6/online", "1")
        write("/sys/devices/system/cpu/cpu7/online", "1")
        show("both online again", where)
        put(CGROUP, "cgroup.procs", f"{pid}\n")
    put(child, "cpuset.cpus.partition", "member\n")
    attempt("rmdir P with C in it", os.rmdir, parent, clear=False)
    attempt("rmdir C", os.rmdir, child, clear=False)
    with sleeper() as (pid,):
        put(parent, "cgroup.subtree_control", "-cpuset\n")
        put(parent, "cpuset.cpus.partition", "member\n")
        put(parent, "cpuset.cpus", "\n")
        put(parent, "cgroup.procs", f"{pid}\n")
        put(parent, "cpuset.cpus.partition", "root\n")
        put(parent, "cpuset.cpus", "0-23\n")
        put(parent, "cpuset.cpus.partition", "root\n")
        put(parent, "cpuset.cpus", "4-5\n")
        put(parent, "cpuset.cpus.partition", "isolated\n")
        write("/sys/devices/system/cpu/cpu4/online", "0")
        write("/sys/devices/system/cpu/cpu5/online", "0")
        show("CPUs 4 and 5, all of P's, offline with a task in P", where)
        write("/sys/devices/system/cpu/cpu4/online", "1")
        write("/sys/devices/system/cpu/cpu5/online", "1")
        show("online again", where)
        attempt("rmdir P with a task in it", os.rmdir, parent, clear=False)
        put(CGROUP, "cgroup.procs", f"{pid}\n")
    attempt("rmdir P, a partition", os.rmdir, parent, clear=False,
            after=lambda: time.sleep(0.3) or "root " + read(root_cpus))
    os.rmdir(sibling)
    os.mkdir(parent)
    put(parent, "cgroup.procs", "999999\n")
    put(parent, "cgroup.procs", "2\n")
    put(parent, "cgroup.procs", "abc\n")
    put(parent, "cgroup.procs", "\n")
    put(parent, "cgroup.subtree_control", "+foo\n")
    put(parent, "cgroup.subtree_control", "+cpuset\n")
    with sleeper() as (pid,):
        put(parent, "cgroup.procs", f"{pid}\n")
    os.rmdir(parent)

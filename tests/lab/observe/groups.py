"""Groups: making, running out of them, removing, renaming."""

import contextlib
import os
import subprocess
import time

from report import (
    NOBODY, RESCTRL, SETTLED, as_nobody, attempt, clear_status, code, fresh, groups, heading, read,
    show, sleeper, write)


def group_folders():
    fresh("a")
    heading("Making groups")
    long_name = "n" * 255
    for name in ("a", "info", "mon_groups", "b/c", "a/b", "a/mon_groups/m", "a/mon_groups/m/n",
                 "a/mon_groups/m/mon_groups/n", "a/mon_data/x", "mon_data/x", "info/x",
                 "mon_groups/m", "with space", "with\nnewline", "ünicode", ".hidden", "-dash",
                 "tasks", "L3", long_name, long_name + "n"):
        label = name if len(name) < 100 else f"name of {len(name)} bytes"
        attempt("mkdir " + code(label), os.mkdir, f"{RESCTRL}/{name}")
    fresh()
    heading("Running out of groups")
    made = 0
    with contextlib.suppress(OSError):
        while True:
            os.mkdir(f"{RESCTRL}/g{made + 1}")
            made += 1
    attempt(f"mkdir after {made} groups", os.mkdir, f"{RESCTRL}/more")
    attempt("mkdir of a name in use when there are no more", os.mkdir, f"{RESCTRL}/g1")
    os.rmdir(f"{RESCTRL}/g1")
    attempt("mkdir after one was removed", os.mkdir, f"{RESCTRL}/again")
    attempt("and once more", os.mkdir, f"{RESCTRL}/more")
    os.rmdir(f"{RESCTRL}/again")

    def fill(prefix):
        made = 0
        with contextlib.suppress(OSError):
            while True:
                os.mkdir(f"{RESCTRL}/g2/mon_groups/{prefix}{made + 1}")
                made += 1
        return made

    made = fill("m")
    attempt(f"mkdir of a monitoring group after {made} of them, all within a second", os.mkdir,
            f"{RESCTRL}/g2/mon_groups/more")
    time.sleep(SETTLED)
    more = fill("n")
    attempt(f"and after {more} more: with root and 14 control groups these are all RMIDs",
            os.mkdir, f"{RESCTRL}/g2/mon_groups/more")
    attempt("mkdir of a control group then", os.mkdir, f"{RESCTRL}/more")
    time.sleep(SETTLED)
    os.rmdir(f"{RESCTRL}/g2/mon_groups/m1")
    attempt("mkdir of a monitoring group right after one was removed (its counters are 0)",
            os.mkdir, f"{RESCTRL}/g2/mon_groups/more")
    time.sleep(SETTLED)
    attempt(f"{SETTLED} s later", os.mkdir, f"{RESCTRL}/g2/mon_groups/more")
    _, rmid = subprocess.check_output(
        ["rdt-counter", "ids", f"{RESCTRL}/g2/mon_groups/m2"], text=True).split()
    for domain in ("0", "1"):
        subprocess.check_call(["rdt-counter", "set", domain, "llc_occupancy", rmid, "1000000"])
    clear_status()
    os.rmdir(f"{RESCTRL}/g2/mon_groups/m2")
    time.sleep(SETTLED)
    attempt(f"{SETTLED} s after removing one whose RMID still holds cache", os.mkdir,
            f"{RESCTRL}/g2/mon_groups/busy")
    for domain in ("0", "1"):
        subprocess.check_call(["rdt-counter", "set", domain, "llc_occupancy", rmid, "0"])
    time.sleep(SETTLED)
    attempt(f"{SETTLED} s after its occupancy dropped to 0", os.mkdir,
            f"{RESCTRL}/g2/mon_groups/busy")

    fresh("a", "b")
    os.mkdir(f"{RESCTRL}/a/mon_groups/m")
    heading("Removing, renaming and other folder operations")
    with sleeper() as (pid,):
        write(f"{RESCTRL}/a/tasks", f"{pid}\n")
        write(f"{RESCTRL}/a/mon_groups/m/tasks", f"{pid}\n")
        write(f"{RESCTRL}/a/cpus_list", "0-3\n")
        write(f"{RESCTRL}/a/mon_groups/m/cpus_list", "0-1\n")
        show("where the task is", lambda: read(f"/proc/{pid}/cpu_resctrl_groups"))
        attempt("rmdir `a/mon_groups/m`, which has a task and CPUs 0-1", os.rmdir,
                f"{RESCTRL}/a/mon_groups/m",
                after=lambda: read(f"/proc/{pid}/cpu_resctrl_groups") + "; a has CPUs "
                + read(f"{RESCTRL}/a/cpus_list"))
        os.mkdir(f"{RESCTRL}/a/mon_groups/m")
        with open(f"{RESCTRL}/a/schemata", "r+b", buffering=0) as kept:
            attempt("rmdir `a`, which has a task, CPUs 0-3 and a monitoring group", os.rmdir,
                    f"{RESCTRL}/a", after=lambda: read(f"/proc/{pid}/cpu_resctrl_groups")
                    + "; root has CPUs " + read(f"{RESCTRL}/cpus_list"))
            attempt("reading the removed group's schemata through an open descriptor", kept.read)
            attempt("writing it", kept.write, b"L3:0=f\n")
    for name in ("info", "mon_data", "mon_groups", "info/L3", "b/mon_data", "b/mon_groups",
                 "mon_data/mon_L3_00", "absent", "schemata"):
        attempt("rmdir " + code(name), os.rmdir, f"{RESCTRL}/{name}")
    attempt("rmdir of the mount point", os.rmdir, RESCTRL)
    os.mkdir(f"{RESCTRL}/b/mon_groups/m")
    os.mkdir(f"{RESCTRL}/c")
    rename = [("b", "d"), ("b", "c"), ("b/mon_groups/m", "b/mon_groups/n"),
              ("b/mon_groups/m", "c/mon_groups/m"), ("b/schemata", "b/other"), ("b", "c/b"),
              ("absent", "d")]
    for old, new in rename:
        attempt(f"rename `{old}` to `{new}`", os.rename, f"{RESCTRL}/{old}", f"{RESCTRL}/{new}",
                after=groups)
    attempt("unlink `b/schemata`", os.unlink, f"{RESCTRL}/b/schemata")
    attempt("create the file `b/new`", os.open, f"{RESCTRL}/b/new", os.O_CREAT | os.O_WRONLY)
    attempt("symlink in `b`", os.symlink, "x", f"{RESCTRL}/b/link")
    attempt("hard link `b/schemata`", os.link, f"{RESCTRL}/b/schemata", f"{RESCTRL}/b/link")
    attempt("chmod 0666 `b/tasks`", os.chmod, f"{RESCTRL}/b/tasks", 0o666,
            after=lambda: f"{os.stat(f'{RESCTRL}/b/tasks').st_mode & 0o777:04o}")
    attempt("chown `b/tasks` to nobody", os.chown, f"{RESCTRL}/b/tasks", NOBODY, NOBODY)
    attempt("mkdir as nobody", as_nobody, os.mkdir, f"{RESCTRL}/e")
    attempt("truncate `b/tasks`", os.truncate, f"{RESCTRL}/b/tasks", 0)

"""For hosts that lack some features."""

import contextlib
import os

from report import (
    RESCTRL, attempt, first_domains, heading, listing, mount, read, run, show, shown, unmount,
    write)


def limited():
    """For hosts that lack some features."""
    heading("What is there")
    if os.path.ismount(RESCTRL):
        unmount()
    os.makedirs("/tmp/second-folder")
    attempt("mount on `/tmp/second-folder`", run, "mount", "-t", "resctrl", "resctrl",
            "/tmp/second-folder")
    if os.path.ismount("/tmp/second-folder"):
        run("umount", "/tmp/second-folder")
    show("resctrl in /proc/filesystems", str("resctrl" in read("/proc/filesystems")))
    show("`/sys/fs/resctrl` exists", str(os.path.exists(RESCTRL)))
    show("`/proc/self/cpu_resctrl_groups`", lambda: read("/proc/self/cpu_resctrl_groups"))
    mounted = False
    for options in ("cdp", "mba_MBps", ""):
        mounted = attempt(f"mount {options or 'without options'}", mount, options)
        if mounted and options:
            unmount()
    if not mounted:
        return
    show("list `/`", listing(""))
    show("list `info`", listing("info"))
    show("schemata", lambda: "\n".join(map(first_domains, read(f"{RESCTRL}/schemata").splitlines())))
    show("size", lambda: "\n".join(map(first_domains, read(f"{RESCTRL}/size").splitlines())))
    attempt("mkdir a", os.mkdir, f"{RESCTRL}/a", after=lambda: listing("a"))
    attempt("mkdir mon_groups/m", os.mkdir, f"{RESCTRL}/mon_groups/m",
            after=lambda: listing("mon_groups/m"))
    for text in ("L3:0=f\n", "MB:0=50\n", "L3:0=f\nMB:0=50\n"):
        attempt(f"{shown(text)} to `a/schemata`", write, f"{RESCTRL}/a/schemata", text)
    attempt("exclusive", write, f"{RESCTRL}/a/mode", "exclusive\n")
    for group in ("a", "mon_groups/m"):
        attempt(f"CPUs 0-1 to `{group}`", write, f"{RESCTRL}/{group}/cpus_list", "0-1\n")
        attempt(f"a task to `{group}`", write, f"{RESCTRL}/{group}/tasks", "0\n",
                after=lambda: read("/proc/self/cpu_resctrl_groups"))
    made = 0
    with contextlib.suppress(OSError):
        while True:
            os.mkdir(f"{RESCTRL}/g{made}")
            made += 1
    attempt(f"mkdir after {made} more groups", os.mkdir, f"{RESCTRL}/more")
    made = 0
    with contextlib.suppress(OSError):
        while True:
            os.mkdir(f"{RESCTRL}/mon_groups/m{made}")
            made += 1
    attempt(f"mkdir after {made} more monitoring groups", os.mkdir,
            f"{RESCTRL}/mon_groups/more")

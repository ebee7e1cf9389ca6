"""Modes of groups, options of mounting, code and data apart."""

import contextlib
import os
import subprocess
import time

from report import (
    AMD, RESCTRL, SETTLED, attempt, first_domains, fresh, groups, heading, line_of, listing, mount,
    read, run, show, shown, try_schemata, unmount, write)


def modes():
    fresh("a", "b")
    path = f"{RESCTRL}/a/mode"
    heading("Modes and exclusive masks", "The last column: the mode of a, then its L3 line.")

    def where():
        return read(path) + " " + first_domains(line_of(f"{RESCTRL}/a/schemata", "L3"))

    def everywhere(mask):
        ids = [domain.split("=")[0] for domain in
               line_of(f"{RESCTRL}/schemata", "L3")[3:].split(";")]
        return "L3:" + ";".join(f"{number}={mask}" for number in ids) + "\n"

    for text in ("exclusive\n", "shareable\n", "exclusive", "Exclusive\n", "foo\n", "\n", "",
                 "pseudo-locksetup\n", "shareable\n", "pseudo-locked\n", "exclusive \n"):
        attempt(shown(text) + " to `a/mode`", write, path, text, after=where)
    attempt("exclusive to the root group", write, f"{RESCTRL}/mode", "exclusive\n",
            after=lambda: read(f"{RESCTRL}/mode"))
    attempt("pseudo-locksetup to the root group", write, f"{RESCTRL}/mode", "pseudo-locksetup\n")
    write(f"{RESCTRL}/mode", "shareable\n")

    def shrink(group, mask, note=""):
        attempt(f"`{group}` gets mask {mask} in all domains{note}", write,
                f"{RESCTRL}/{group}/schemata", everywhere(mask), after=where)

    shrink("a", "f")
    attempt("exclusive while root and b overlap", write, path, "exclusive\n", after=where)
    shrink(".", "f0")
    shrink("b", "f00" if AMD else "300")
    attempt("exclusive when nothing overlaps", write, path, "exclusive\n", after=where)
    show("`info/L3/bit_usage`", lambda: first_domains(read(f"{RESCTRL}/info/L3/bit_usage")))
    shrink("b", "f", ", a's own")
    shrink("b", "1f", ", a's and more")
    shrink("a", "1f", ", one of root's too")
    shrink("a", "7", ", fewer")
    shrink("a", "0", ", none")
    shrink("a", "3", ", some")
    try_schemata("a", "MB:0=50\n", note=" to the exclusive group")
    attempt("mkdir c while a is exclusive", os.mkdir, f"{RESCTRL}/c",
            after=lambda: first_domains(line_of(f"{RESCTRL}/c/schemata", "L3")))
    attempt("back to shareable", write, path, "shareable\n", after=where)
    attempt("`b` exclusive while c covers it", write, f"{RESCTRL}/b/mode", "exclusive\n",
            after=lambda: read(f"{RESCTRL}/b/mode"))
    fresh("a")
    write(f"{RESCTRL}/schemata", everywhere("f"))
    write(f"{RESCTRL}/a/schemata", everywhere("ff0" if not AMD else "fff0"))
    attempt("exclusive with a mask over the hardware's shareable bits (Intel has two)", write,
            path, "exclusive\n", after=where)
    fresh()
    write(f"{RESCTRL}/schemata", everywhere("f"))
    os.mkdir(f"{RESCTRL}/a")
    show("first mask of a group made after root shrank to f", where)
    attempt("exclusive right away", write, path, "exclusive\n", after=where)
    attempt("mkdir when root has f and the exclusive group the rest", os.mkdir, f"{RESCTRL}/b",
            after=lambda: first_domains(line_of(f"{RESCTRL}/b/schemata", "L3")))
    show("`info/L3/bit_usage`", lambda: first_domains(read(f"{RESCTRL}/info/L3/bit_usage")))
    fresh("a", "b")
    write(f"{RESCTRL}/schemata", everywhere("0f" if not AMD else "f00f"))
    write(f"{RESCTRL}/a/schemata", everywhere("30"))
    write(f"{RESCTRL}/b/schemata", everywhere("c0"))
    for group in "ab":
        attempt(f"exclusive `{group}` between root's bits", write, f"{RESCTRL}/{group}/mode",
                "exclusive\n")
    attempt("mkdir c: which of the free bits it gets", os.mkdir, f"{RESCTRL}/c",
            after=lambda: first_domains(line_of(f"{RESCTRL}/c/schemata", "L3")))

    fresh("a")
    heading("Pseudo-locking")
    attempt("pseudo-locksetup while monitoring is on", write, path, "pseudo-locksetup\n",
            after=where)
    show("mode then", lambda: read(path))
    write(f"{RESCTRL}/a/cpus_list", "0\n")
    attempt("pseudo-locksetup with a CPU in the group", write, path, "pseudo-locksetup\n")


def mounts():
    heading("Mounting")
    if os.path.ismount(RESCTRL):
        unmount()
    time.sleep(SETTLED)

    def mounted():
        lines = [line for line in read("/proc/mounts").splitlines() if " resctrl " in line]
        return lines[0] if lines else "not mounted"

    attempt("mount without options", mount, after=mounted)
    attempt("mount again on the same folder", mount)
    os.makedirs("/tmp/second", exist_ok=True)
    attempt("mount on a second folder", run, "mount", "-t", "resctrl", "resctrl", "/tmp/second")
    attempt("remount with cdp", run, "mount", "-o", "remount,cdp", RESCTRL, after=mounted)
    os.mkdir(f"{RESCTRL}/a")
    write(f"{RESCTRL}/schemata", "L3:0=f\n")
    with open(f"{RESCTRL}/tasks"):
        attempt("umount with a file open", unmount)
    os.chdir(RESCTRL)
    attempt("umount with a process's folder inside", unmount)
    os.chdir("/")
    attempt("umount with group a", unmount, after=lambda: " ".join(os.listdir(RESCTRL)) or "empty")
    attempt("umount again", unmount)
    show("`/proc/self/cpu_resctrl_groups` when not mounted", lambda: read("/proc/self/cpu_resctrl_groups"))
    attempt("mount afterwards: groups and root's mask", mount,
            after=lambda: groups() + " " + first_domains(line_of(f"{RESCTRL}/schemata", "L3")))
    for options in ("cdp", "cdpl2", "mba_MBps", "debug", "foo", "cdp,mba_MBps", "ro"):
        if os.path.ismount(RESCTRL):
            unmount()
        attempt(f"mount -o {options}", mount, options, after=mounted)
        if options == "mba_MBps" and os.path.ismount(RESCTRL):
            show("schemata with mba_MBps", lambda: first_domains(line_of(f"{RESCTRL}/schemata", "MB")))
            for value in (1, 0, 100000, 4294967295, 4294967296):
                try_schemata(".", f"MB:0={value}\n")
        if options == "ro":
            attempt("mkdir on a read-only mount", os.mkdir, f"{RESCTRL}/a")
            attempt("write schemata on a read-only mount", write, f"{RESCTRL}/schemata",
                    "L3:0=f\n")


def cdp():
    fresh(options="cdp")
    heading("Code and data prioritisation (mounted with `cdp`)")
    show("list `info`", listing("info"))
    show("num_closids of L3DATA, L3CODE and MB", lambda: " ".join(read(f"{RESCTRL}/info/{name}/num_closids")
                                   for name in ("L3DATA", "L3CODE", "MB")))
    show("schemata", lambda: "\n".join(map(first_domains,
                                        read(f"{RESCTRL}/schemata").splitlines())))
    os.mkdir(f"{RESCTRL}/a")
    for text in ("L3DATA:0=f\n", "L3CODE:0=f0\n", "L3:0=f\n", "L3DATA:0=0\n",
                 "L3DATA:0=ff\nL3CODE:0=ff\n"):
        try_schemata("a", text)
    made = 1
    with contextlib.suppress(OSError):
        while True:
            os.mkdir(f"{RESCTRL}/g{made}")
            made += 1
    attempt(f"mkdir after {made} groups", os.mkdir, f"{RESCTRL}/more")
    attempt("exclusive", write, f"{RESCTRL}/a/mode", "exclusive\n")
    attempt("pseudo-locksetup", write, f"{RESCTRL}/a/mode", "pseudo-locksetup\n")
    for register in ("0xc81", "0xc90", "0xc91", "0xc92", "0xc93"):
        show(f"hardware register {register} of CPU 0 (a: CLOSID 1)", lambda: subprocess.check_output(["rdt-counter", "msr", "0", register],
                                                      text=True).rstrip())

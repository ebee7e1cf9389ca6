"""Who is in a group: tasks and CPUs."""

import os
import subprocess
import time

from report import RESCTRL, as_nobody, attempt, fresh, heading, read, show, shown, sleeper, write


def tasks():
    fresh("a", "b")
    os.mkdir(f"{RESCTRL}/a/mon_groups/m")
    os.mkdir(f"{RESCTRL}/mon_groups/r")
    heading("Moving tasks", "P, Q are processes of root's; the last column is P's "
            "`/proc/P/cpu_resctrl_groups` unless it says otherwise.")

    with sleeper(2) as (first, second):
        def where():
            return read(f"/proc/{first}/cpu_resctrl_groups")

        def move(group, text, note=""):
            label = shown(text.replace(str(first), "P").replace(str(second), "Q"))
            attempt(f"{label} to `{group}/tasks`{note}", write, f"{RESCTRL}/{group}/tasks",
                    text, after=where)

        move("a", f"{first}\n")
        move("a/mon_groups/m", f"{first}\n", " (own control group's)")
        move("a", f"{first}\n", " (its control group again)")
        move("mon_groups/r", f"{first}\n", " (other control group's)")
        move("b", f"{first}\n")
        move("a/mon_groups/m", f"{first}\n", " (other control group's)")
        for text in (f"{first}", f" {first}\n", f"{first} \n", f"{first} {second}\n",
                     f"{first},{second}\n", f"{first}\n{second}\n", "", "\n", "abc\n", "-1\n", "1.5\n",
                     "4194305\n", "99999999999\n", "400000\n", "2\n", "1\n"):
            move("a", text)
        attempt("`0⏎` to `a/tasks` moves the writer", write, f"{RESCTRL}/a/tasks", "0\n",
                after=lambda: read("/proc/self/cpu_resctrl_groups"))
        write(f"{RESCTRL}/tasks", "0\n")
        zombie = subprocess.Popen(["true"])
        time.sleep(0.5)
        attempt("a zombie", write, f"{RESCTRL}/a/tasks", f"{zombie.pid}\n",
                after=lambda: read(f"/proc/{zombie.pid}/cpu_resctrl_groups") + "; a/tasks lists it: "
                + str(str(zombie.pid) in read(f"{RESCTRL}/a/tasks").split()))
        zombie.wait()
        attempt("the same process when it is gone", write, f"{RESCTRL}/a/tasks",
                f"{zombie.pid}\n")
        attempt("opening `tasks` for writing as nobody", as_nobody, os.open, f"{RESCTRL}/a/tasks",
                os.O_WRONLY)
        handle = os.open(f"{RESCTRL}/a/tasks", os.O_WRONLY)
        attempt("nobody writes P, a process of root's, through an open descriptor", as_nobody,
                os.write, handle, f"{first}\n".encode())
        attempt("nobody writes 0, itself", as_nobody, os.write, handle, b"0\n")
        os.close(handle)
        write(f"{RESCTRL}/a/tasks", f"{first}\n")
        write(f"{RESCTRL}/b/tasks", f"{second}\n")
        show("reading `a/tasks`: P is there", lambda: str(str(first) in read(f"{RESCTRL}/a/tasks").split()))
        attempt("writing 5000 bytes", write, f"{RESCTRL}/a/tasks", " " * 4990 + f"{first}\n")
    command = ("echo $$ > /sys/fs/resctrl/b/tasks; sleep 100 & "
               "cat /proc/$!/cpu_resctrl_groups; kill $!")
    show("a child of a process in `b`", lambda: subprocess.check_output(["sh", "-c", command], text=True).rstrip())


def cpus():
    fresh("a", "b")
    os.mkdir(f"{RESCTRL}/a/mon_groups/m")
    heading("Assigning CPUs", "The last column: CPUs of root / a / a's monitoring group m / b.")

    def where():
        return " / ".join(read(f"{RESCTRL}/{group}/cpus_list")
                          for group in (".", "a", "a/mon_groups/m", "b"))

    def assign(group, text, name="cpus_list"):
        attempt(f"{shown(text)} to `{group}/{name}`", write, f"{RESCTRL}/{group}/{name}", text,
                after=where)

    assign("a", "0-3\n")
    assign("a/mon_groups/m", "0-1\n")
    assign("a/mon_groups/m", "4\n")
    assign("b", "1-2\n")
    assign("a", "3-5\n")
    assign("a", "")
    assign("a", "\n")
    assign("a", "0-3\n")
    assign(".", "0-22\n")
    assign(".", "0-23\n")
    assign(".", "\n")
    for text in ("24\n", "22-25\n", "8192\n", "99999\n", "3-1\n", "abc\n", "1-\n", "-1\n", "1,,2\n",
                 "1, 2\n", "0-3", "0-6:1/2\n", "all\n", "none\n", "0x3\n"):
        assign("a", text)
    for text in ("f\n", "ff\n", "0xf\n", "00000f\n", "ffffff\n", "1ffffff\n", "0,0000000f\n", "f,\n", "f",
                 "g\n", "\n", "0\n"):
        assign("a", text, "cpus")
    write(f"{RESCTRL}/a/cpus_list", "0-5\n")
    write("/sys/devices/system/cpu/cpu5/online", "0")
    show("CPU 5 goes offline", where)
    assign("b", "5\n")
    assign("b", "4-6\n")
    write("/sys/devices/system/cpu/cpu5/online", "1")
    show("CPU 5 comes back", where)
    attempt("several failures without a status reset between: `99⏎`", write,
            f"{RESCTRL}/a/cpus_list", "99\n", clear=False)
    attempt("`abc⏎`", write, f"{RESCTRL}/a/cpus_list", "abc\n", clear=False)
    attempt("a valid CPU list then", write, f"{RESCTRL}/a/cpus_list", "1\n", clear=False)

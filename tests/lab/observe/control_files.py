"""What files there are, and what may be written to schemata."""

import os

from report import (
    FULL, LIMIT, RESCTRL, as_nobody, attempt, code, first_domains, fresh, heading, line_of,
    listing, read, show, try_schemata, write)


def files():
    fresh("a")
    heading("Files and their first contents")
    for path in ("", "info", "a", "a/mon_data", "mon_data/mon_L3_00"):
        show(f"list `{path or '/'}`", listing(path))
    for folder, _, names in sorted(os.walk(f"{RESCTRL}/info")):
        for name in sorted(names):
            path = f"{folder}/{name}"
            show(f"read `{path[len(RESCTRL) + 1:]}`", lambda: f"{os.stat(path).st_mode & 0o777:04o} {read(path)}")
    for name in ("cpus", "cpus_list", "mode", "schemata", "size", "tasks"):
        path = f"{RESCTRL}/a/{name}"
        show(f"read `a/{name}`", lambda: f"{os.stat(path).st_mode & 0o777:04o} {read(path)}")
    show("read `/proc/self/cpu_resctrl_groups`", lambda: read("/proc/self/cpu_resctrl_groups"))


def schemata():
    fresh("a")
    heading("Writing `a/schemata`", "A write is one write(2) of the text shown; ⏎ is a newline. "
            "The last column is the resource's line afterwards, its first domains only.")
    for text in ("L3:0=ff\n", "L3:0=0\n", f"L3:0=1{FULL}\n", "L3:0=f0f\n", "L3:0=1\n",
                 "L3:0=FF\n", "L3:0=0xff\n", "L3:0=xyz\n", "L3:0=\n", "L3:\n", "L3\n", "L3 0=f\n",
                 "\n", "", "L3:0=f", "L3:99=f\n", "L3:0=f;99=f\n", "L3:0=f;0=7\n", "L3:a=f\n",
                 "L3:-1=f\n", "L3:0\n", "L3:0=f;\n", "L3:;0=f\n", "L3:0=f;;1=f\n",
                 "L3: 0=3f\n", "L3:0 =3f\n", "L3:0= 3f\n", " L3:0=3f\n", "L3:0=3f \n",
                 "L3:0=7,1=7\n", "l3:0=f\n", "FOO:0=f\n", "L2:0=f\n", "L3DATA:0=f\n", "SMBA:0=1\n",
                 "L3:1=3;0=3\n", "L3:0=-1\n", "L3:0=ffffffffffffffffff\n"):
        try_schemata("a", text, "L3")
    for value in (LIMIT, LIMIT + 1, 0, 1, 9, 10, 11, 35, 16, -1, "abc", "", "0x10", " 20", "20 ",
                  "1.5", "4294967296"):
        try_schemata("a", f"MB:0={value}\n")
    fresh("a")
    heading("Several lines in one write, and long writes to `a/schemata`")
    path = f"{RESCTRL}/a/schemata"

    def both():
        return (first_domains(line_of(path, "L3")) + " and " + first_domains(line_of(path, "MB")))

    for text in ("L3:0=1f\nMB:0=50\n", f"L3:0=7\nMB:0={LIMIT + 1}\n", f"MB:0={LIMIT + 1}\nL3:0=7\n",
                 "L3:0=7\nL3:1=7\n", "L3:0=f\nL3:0=3\n", "MB:0=60\nL3:0=xyz\n", "L3:0=7\n\n",
                 "L3:0=3\nMB:0=40", "L3:0=1;1=xyz\n", "L3:0=1;99=1\n",
                 "L3:0=1f\n\0", "#L3:0=1\n"):
        attempt(code(text.replace("\0", "\\0")), write, path, text, after=both)
    attempt("4096 bytes: `L3:0=f` with blanks before it", write, path,
            " " * (4096 - 7) + "L3:0=f\n", after=both)
    attempt("4097 bytes of the same", write, path, " " * (4097 - 7) + "L3:0=f\n", after=both)

    def in_pieces():
        handle = os.open(path, os.O_WRONLY)
        try:
            os.write(handle, b"L3:0=")
            os.write(handle, b"7\n")
        finally:
            os.close(handle)

    attempt("`L3:0=` and `7⏎` in two writes", in_pieces, after=both)

    def append():
        handle = os.open(path, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(handle, b"L3:0=7\n")
        finally:
            os.close(handle)

    attempt("`L3:0=7⏎` with O_APPEND", append, after=both)
    attempt("writing `/schemata` of the root group: `L3:0=ff⏎`", write, f"{RESCTRL}/schemata",
            "L3:0=ff\n", after=lambda: first_domains(line_of(f"{RESCTRL}/schemata", "L3")))
    attempt("writing `size`", write, f"{RESCTRL}/a/size", "L3:0=ff\n")
    attempt("opening `size` for writing as nobody", as_nobody, os.open, f"{RESCTRL}/a/size",
            os.O_WRONLY)
    attempt("opening `schemata` for writing as nobody", as_nobody, os.open, path, os.O_WRONLY)

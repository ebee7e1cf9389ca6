"""Monitoring, and CPUs that go offline."""

import os
import subprocess

from report import (
    AMD, RESCTRL, attempt, fresh, heading, line_of, read, show, shown, sleeper, write)


def monitoring():
    fresh("a")
    os.mkdir(f"{RESCTRL}/a/mon_groups/m")
    data = f"{RESCTRL}/a/mon_data/mon_L3_00"
    unit = "64" if AMD else "98304"
    own, other = (subprocess.check_output(["rdt-counter", "ids", f"{RESCTRL}/{group}"],
                                          text=True).split()[1]
                  for group in ("a", "a/mon_groups/m"))
    heading("Monitoring", f"One counter unit is {unit} bytes.  Group a has a monitoring group m; "
            "counters are of L3 domain 0.  The last column: occupancy, total bytes and local "
            "bytes of a, then of m.")

    def values():
        return ", ".join(" ".join(read(f"{folder}/{name}") for name in
                                  ("llc_occupancy", "mbm_total_bytes", "mbm_local_bytes"))
                         for folder in (data, f"{RESCTRL}/a/mon_groups/m/mon_data/mon_L3_00"))

    def counter(situation, *arguments):
        subprocess.check_call(["rdt-counter", *arguments])
        show(situation, values)

    show("at first", values)
    counter("a's own occupancy 1000 units", "set", "0", "llc_occupancy", own, "1000")
    counter("m's occupancy 10 units", "set", "0", "llc_occupancy", other, "10")
    counter("a's own total 5000 units", "set", "0", "mbm_total_bytes", own, "5000")
    counter("a's own total 7000 units", "set", "0", "mbm_total_bytes", own, "7000")
    counter("m's total 1 unit", "set", "0", "mbm_total_bytes", other, "1")
    counter("a's own total back to 100 units (the kernel takes it for a wrap)", "set", "0",
            "mbm_total_bytes", own, "100")
    counter("a's own occupancy unavailable", "fail", "0", "llc_occupancy", own, "unavailable")
    counter("and m's unavailable", "fail", "0", "llc_occupancy", other, "unavailable")
    counter("m's in error instead", "fail", "0", "llc_occupancy", other, "error")
    counter("a's own in error too", "fail", "0", "llc_occupancy", own, "error")
    counter("m's occupancy good again", "set", "0", "llc_occupancy", other, "10")
    counter("a's own total in error", "fail", "0", "mbm_total_bytes", own, "error")
    counter("and m's in error", "fail", "0", "mbm_total_bytes", other, "error")
    counter("a's own unavailable, m's in error", "fail", "0", "mbm_total_bytes", own,
            "unavailable")
    counter("a's own total 200 units after that", "set", "0", "mbm_total_bytes", own, "200")
    counter("m's total 3 units after its error", "set", "0", "mbm_total_bytes", other, "3")
    with sleeper() as (pid,):
        write(f"{RESCTRL}/a/tasks", f"{pid}\n")
        os.rmdir(f"{RESCTRL}/a/mon_groups/m")
        show("m removed", lambda: values().split(", ")[0])
    attempt("writing an event file", write, f"{data}/llc_occupancy", "0\n")
    path = f"{RESCTRL}/info/L3_MON/max_threshold_occupancy"
    for text in ("0\n", "1\n", f"{unit}\n", "100000\n", "524288\n", "524289\n", "1048576\n", "99999999999\n",
                 "4294967296\n", "abc\n", "-1\n", "100000", "\n"):
        attempt(shown(text) + " to max_threshold_occupancy", write, path, text,
                after=lambda: read(path))


def hotplug():
    fresh("a")
    sibling_set = "2-3" if AMD else "12-23"
    domain, folder = "1", "mon_L3_01"
    cpus = (2, 3) if AMD else tuple(range(12, 24))
    heading("CPUs going offline", f"`a` has CPUs 0,{sibling_set} and its own mask and limit in "
            f"every domain. CPUs {sibling_set} are all of L3 domain {domain}.")

    def domain_of(group):
        fields = []
        for resource in ("L3", "MB"):
            parts = line_of(f"{RESCTRL}/{group}/schemata", resource).split(":")[1].split(";")
            fields += [f"{resource} {part.strip()}" for part in parts
                       if part.strip().startswith(domain + "=")]
        return ", ".join(fields) or f"no domain {domain}"

    def where():
        return (f"a: {domain_of('a')}; CPUs a {read(f'{RESCTRL}/a/cpus_list')}, root "
                f"{read(f'{RESCTRL}/cpus_list')}; {folder} there: "
                f"{os.path.exists(f'{RESCTRL}/a/mon_data/{folder}')}")

    write(f"{RESCTRL}/a/schemata", f"L3:0=f;{domain}=f\nMB:0=50;{domain}=50\n")
    write(f"{RESCTRL}/a/cpus_list", f"0,{sibling_set}\n")
    show("before", where)

    def switch(cpu, state):
        write(f"/sys/devices/system/cpu/cpu{cpu}/online", state)

    held = open(f"{RESCTRL}/a/mon_data/{folder}/llc_occupancy")
    attempt(f"CPU {cpus[0]} offline", switch, cpus[0], "0", after=where)
    for cpu in cpus[1:-1]:
        switch(cpu, "0")
    attempt(f"CPU {cpus[-1]}, the last of the domain, offline", switch, cpus[-1], "0",
            after=where)
    attempt("reading the domain's event file through an open descriptor", held.read)
    attempt(f"`L3:{domain}=3⏎` to `a/schemata`", write, f"{RESCTRL}/a/schemata",
            f"L3:{domain}=3\n")
    show("bit_usage", lambda: read(f"{RESCTRL}/info/L3/bit_usage")[:60])
    show("size", lambda: read(f"{RESCTRL}/a/size")[:60])
    attempt("mkdir b", os.mkdir, f"{RESCTRL}/b", after=lambda: domain_of("b"))
    attempt(f"CPU {cpus[0]} online again", switch, cpus[0], "1", after=where)
    for cpu in cpus[1:]:
        switch(cpu, "1")
    show("all online again", where)
    show("root's line", lambda: domain_of("."))
    show("CPU 0 has an `online` file",
         str(os.path.exists("/sys/devices/system/cpu/cpu0/online")))
    attempt("`abc` to online", switch, 2, "abc")
    attempt("`1` to the online file of a CPU that is online", switch, 2, "1")
    show("online CPUs", lambda: read("/sys/devices/system/cpu/online"))

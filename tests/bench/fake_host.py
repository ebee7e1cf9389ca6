#!/usr/bin/python3
"""Runs a command on a pretended EPYC host: fake_host.py [--sockets N] [--groups PATTERN] -- COMMAND...

In a mount namespace of its own, a tmpfs holds generated trees that lie over /proc, /sys/devices/system/cpu and node, and
/sys/fs: two CPUs a core, 16 cores a CCD, 12 CCDs a socket, as the kernel numbers them, and 15 control groups that
are there already. The files are plain ones, so this is for what reaching the files costs, not for what a kernel does with
what is written: nothing is checked, and a write leaves what stood behind it. BENCH in the environment names the tmpfs;
BENCH/pristine is a copy of the resctrl tree.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

CORES_PER_CCD = 16
CCDS_PER_SOCKET = 12
GROUPS = 15
INSIDE = "BULKHEAD_FAKE_HOST_INSIDE"


class Host:
    def __init__(self, sockets):
        self.sockets = sockets
        self.cores = sockets * CCDS_PER_SOCKET * CORES_PER_CCD
        # Ids as APIC ids make them: 0 to 11, the next socket's from 16.
        self.l3_ids = [socket * 16 + ccd for socket in range(sockets) for ccd in range(CCDS_PER_SOCKET)]

    def cpus(self, first_core, count):
        """Both CPUs of the cores."""
        return [range(first_core + thread * self.cores, first_core + thread * self.cores + count) for thread in (0, 1)]

    def mask(self, runs):
        bits = sum(((1 << len(run)) - 1) << run.start for run in runs)
        text = f"{bits:0{2 * self.cores // 4}x}"
        return ",".join(text[at:at + 8] for at in range(0, len(text), 8))


def listed(runs):
    return ",".join(str(run.start) if len(run) == 1 else f"{run.start}-{run[-1]}" for run in runs)


class Tree:
    """Files of one folder; equal content is one file with many names, for there are tens of thousands."""

    def __init__(self, root):
        self.root = root
        self.known = {}

    def write(self, name, content):
        path = f"{self.root}/{name}"
        content = f"{content}\n"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if content in self.known:
            os.link(self.known[content], path)
            return
        with open(path, "w", encoding="ascii") as file:
            file.write(content)
        self.known[content] = path

    def link(self, name, target):
        os.makedirs(os.path.dirname(f"{self.root}/{name}"), exist_ok=True)
        os.symlink(f"{self.root}/{target}", f"{self.root}/{name}")


def write_set(tree, host, name, runs):
    tree.write(f"{name}_list" if "siblings" in name or name.endswith("cpus") else name.replace("map", "list"), listed(runs))
    tree.write(name, host.mask(runs))


def make_cache(tree, host, folder, identity, level, kind, kib, runs):
    for name, value in {"level": level, "type": kind, "size": f"{kib}K", "id": identity, "coherency_line_size": 64,
                        "ways_of_associativity": 16, "number_of_sets": kib, "physical_line_partition": 1}.items():
        tree.write(f"{folder}/{name}", value)
    write_set(tree, host, f"{folder}/shared_cpu_map", runs)


def make_cpus(root, host):
    tree = Tree(f"{root}/cpu")
    everything = [range(2 * host.cores)]
    for name in ("online", "possible", "present"):
        tree.write(name, listed(everything))
    tree.write("kernel_max", 8191)
    per_socket = CCDS_PER_SOCKET * CORES_PER_CCD
    for ccd, identity in enumerate(host.l3_ids):
        shared = host.cpus(ccd * CORES_PER_CCD, CORES_PER_CCD)
        make_cache(tree, host, f"shared/l3-{ccd}", identity, 3, "Unified", 32 << 10, shared)
        for core in range(ccd * CORES_PER_CCD, (ccd + 1) * CORES_PER_CCD):
            make_core(tree, host, core, ccd, core // per_socket, per_socket)


def make_core(tree, host, core, ccd, socket, per_socket):
    siblings = host.cpus(core, 1)
    package = host.cpus(socket * per_socket, per_socket)
    own = f"shared/core-{core}"
    for index, (level, kind, kib) in enumerate(((1, "Data", 48), (1, "Instruction", 32), (2, "Unified", 1024))):
        make_cache(tree, host, f"{own}/cache/index{index}", core, level, kind, kib, siblings)
    tree.link(f"{own}/cache/index3", f"shared/l3-{ccd}")
    tree.write(f"{own}/topology/core_id", core % per_socket)
    tree.write(f"{own}/topology/physical_package_id", socket)
    for name, runs in {"core_cpus": siblings, "thread_siblings": siblings, "package_cpus": package,
                       "core_siblings": package}.items():
        write_set(tree, host, f"{own}/topology/{name}", runs)
    for run in siblings:
        tree.link(f"cpu{run.start}", own)
    tree.write(f"{own}/online", 1)


def make_nodes(root, host):
    tree = Tree(f"{root}/node")
    nodes = listed([range(host.sockets)])
    for name in ("online", "possible", "has_cpu", "has_memory"):
        tree.write(name, nodes)
    per_socket = host.cores // host.sockets
    for node in range(host.sockets):
        write_set(tree, host, f"node{node}/cpumap", host.cpus(node * per_socket, per_socket))
        tree.write(f"node{node}/meminfo", f"Node {node} MemTotal:       {1152 << 20} kB")
        tree.write(f"node{node}/distance", " ".join("10" if node == other else "32" for other in range(host.sockets)))


def make_group(tree, host, group):
    # Ours is the order and the width, so that a full change overwrites a file to its end.
    schemata = "".join(f"{resource}:{';'.join(f'{identity}={value}' for identity in host.l3_ids)}\n"
                       for resource, value in (("L3", "ffff"), ("MB", "4096")))
    for name, content in {"schemata": schemata[:-1], "cpus_list": "", "cpus": host.mask([]), "tasks": "",
                          "mode": "shareable"}.items():
        path = Path(tree, group, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content + "\n", encoding="ascii")


def make_resctrl(root, host, pattern):
    tree = f"{root}/resctrl"
    make_group(tree, host, "")
    Path(tree, "cpus_list").write_text(listed([range(2 * host.cores)]) + "\n", encoding="ascii")
    for number in range(GROUPS):
        make_group(tree, host, pattern.format(number))
    info = {"L3": {"cbm_mask": "ffff", "min_cbm_bits": 1, "num_closids": 16, "shareable_bits": "0", "sparse_masks": 1,
                   "bit_usage": ";".join(f"{identity}=SSSSSSSSSSSSSSSS" for identity in host.l3_ids)},
            "MB": {"num_closids": 16, "min_bandwidth": 0, "bandwidth_gran": 1, "delay_linear": 1},
            "L3_MON": {"num_rmids": 4096, "mon_features": "llc_occupancy\nmbm_total_bytes\nmbm_local_bytes",
                       "max_threshold_occupancy": 65536}}
    for folder, files in info.items():
        for name, value in files.items():
            path = Path(tree, "info", folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{value}\n", encoding="ascii")
    Path(tree, "info/last_cmd_status").write_text("ok\n", encoding="ascii")
    shutil.copytree(tree, f"{root}/pristine")


def make_proc(root, host):
    flags = "fpu rdt_a cat_l3 cdp_l3 mba cqm cqm_llc cqm_occup_llc cqm_mbm_total cqm_mbm_local"
    cpus = "".join(f"processor\t: {cpu}\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 17\n"
                   f"model name\t: AMD EPYC 9965 192-Core Processor\nflags\t\t: {flags}\n\n"
                   for cpu in range(2 * host.cores))
    mounts = "resctrl /sys/fs/resctrl resctrl rw,relatime 0 0\n"
    files = {"cpuinfo": cpus, "filesystems": "nodev\tsysfs\nnodev\tproc\nnodev\tresctrl\n", "mounts": mounts,
             "self/mounts": mounts, "self/status": "Cpus_allowed:\tffffffff\n", "cmdline": "quiet\n",
             "meminfo": f"MemTotal:       {1152 << 20} kB\n",
             "self/mountinfo": "30 1 0:30 / /sys/fs/resctrl rw,relatime - resctrl resctrl rw\n"
                               "31 1 0:31 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n"}
    for name, content in files.items():
        path = Path(root, "proc", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="ascii")


def make_cgroups(root, host):
    """A root with one cgroup, for processes to move into."""
    for name, content in {"cgroup.controllers": "cpuset", "cgroup.subtree_control": "", "cgroup.procs": "",
                          "cpuset.cpus.effective": listed([range(2 * host.cores)]),
                          "cpuset.mems.effective": listed([range(host.sockets)]), "bench/cgroup.procs": ""}.items():
        path = Path(root, "fs/cgroup", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content + "\n", encoding="ascii")


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


def make_host(sockets, pattern):
    root = "/mnt"  # the namespace is our own, and the tree lives only in it
    mount("-t", "tmpfs", "-o", "size=1g,nr_inodes=400k", "bench", root)
    host = Host(sockets)
    make_cpus(root, host)
    make_nodes(root, host)
    make_resctrl(root, host, pattern)
    make_proc(root, host)
    make_cgroups(root, host)
    os.makedirs(f"{root}/fs/resctrl")
    mount("--bind", f"{root}/fs", "/sys/fs")
    for tree, target in {"resctrl": "/sys/fs/resctrl", "cpu": "/sys/devices/system/cpu",
                         "node": "/sys/devices/system/node", "proc": "/proc"}.items():
        mount("--bind", f"{root}/{tree}", target)
    os.environ["BENCH"] = root


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sockets", type=int, choices=(1, 2), default=2, help="12 CCDs and 384 CPUs each")
    parser.add_argument("--groups", default="bulkhead.c{}", help="names of the groups, {} is their number from 0")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    if INSIDE not in os.environ:
        os.environ[INSIDE] = "1"
        unshare = ["unshare", "--mount", "--propagation", "private"]
        if os.geteuid() != 0:
            unshare += ["--map-root-user"]
        os.execvp("unshare", [*unshare, sys.executable, *sys.argv])
    make_host(options.sockets, options.groups)
    os.execvp(options.command[0], options.command)


if __name__ == "__main__":
    main()

"""Host profiles: the machine and the RDT features a guest is given.

A profile is a JSON file in profiles/.  One that says "extends" takes every
field it does not name from that other profile.
"""

import json
from pathlib import Path

from . import Failure
from .hardware import MAX_DOMAINS, MAX_RMIDS

FOLDER = Path(__file__).parent.parent / "profiles"


class Profile:
    def __init__(self, name):
        self.name = name
        self.fields = _load(name)
        self.vendor = self.fields["vendor"]
        self.monitoring = self.fields["monitoring"]
        self.cache = self.fields["cache"]
        self.bandwidth = self.fields["bandwidth"]
        self.l2_cache = self.fields.get("l2_cache")
        self.cpuid = self.fields.get("cpuid", [])
        self.cgroup = self.fields.get("cgroup", "v2")
        self.first_process = self.fields.get("first_process", "lab")
        self.foreign_groups = self.fields.get("foreign_groups", [])
        self.mount_options = self.fields.get("mount_options", "")
        topology = self.fields["topology"]
        self.sockets, self.dies = topology["sockets"], topology["dies"]
        self.cores, self.threads = topology["cores"], topology["threads"]
        self.numa_nodes = self.fields["numa_nodes"]
        if max(self.apic_ids()) >> self.domain_shift >= MAX_DOMAINS:
            raise Failure(f"{name}: L3 ids must be below {MAX_DOMAINS}")
        if self.monitoring and self.monitoring["rmids"] > MAX_RMIDS:
            raise Failure(f"{name}: at most {MAX_RMIDS} RMIDs")

    @property
    def cpus(self):
        return self.sockets * self.dies * self.cores * self.threads

    @property
    def has_resctrl(self):
        return bool(self.cache or self.l2_cache or self.bandwidth or self.monitoring)

    @property
    def domain_shift(self):
        """Low bits of an APIC id that number the threads of one L3 cache."""
        return (self.cores - 1).bit_length() + (self.threads - 1).bit_length()

    @property
    def l2_shift(self):
        """The same for an L2 cache, which is a core's own unless the profile says otherwise."""
        cores = self.l2_cache["cores"] if self.l2_cache else 1
        return (cores - 1).bit_length() + (self.threads - 1).bit_length()

    def apic_ids(self):
        """APIC ids by QEMU's CPU index."""
        thread_bits = (self.threads - 1).bit_length()
        die_bits = (self.dies - 1).bit_length()
        for socket in range(self.sockets):
            for die in range(self.dies):
                for core in range(self.cores):
                    for thread in range(self.threads):
                        yield ((socket << die_bits | die) << self.domain_shift
                               | core << thread_bits | thread)


def _load(name):
    try:
        fields = json.loads((FOLDER / f"{name}.json").read_text())
    except FileNotFoundError:
        raise Failure(f"no host profile {name!r}; there are: {', '.join(names())}") from None
    parent = fields.pop("extends", None)
    return {**_load(parent), **fields} if parent else fields


def names():
    return sorted(path.stem for path in FOLDER.glob("*.json"))

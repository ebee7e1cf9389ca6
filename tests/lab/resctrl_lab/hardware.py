"""The simulated RDT hardware: what the guest kernel is made to see.

`hardware.c` holds the behaviour; this module compiles it and fills in its
configuration from a host profile.  The layout of struct config there and of
the structs packed here must agree.
"""

import struct
import subprocess
import tempfile
from pathlib import Path

from . import Failure

HERE = Path(__file__).parent

# In the order of the offsets at the front of the image (hardware.ld).
HOOKED = (
    "native_cpuid",
    "native_read_msr",
    "native_read_msr_safe",
    "native_write_msr",
    "native_write_msr_safe",
)
EVENTS = ("llc_occupancy", "mbm_total_bytes", "mbm_local_bytes")
TICKS_PER_SECOND = 250  # CONFIG_HZ of Debian's kernels
ANY_SUBLEAF = ALL = 0xFFFFFFFF
MAX_RULES = 48
MAX_DOMAINS = 32
MAX_RMIDS = 256


class Image:
    """Compiled hardware.c, before it is configured or placed."""

    def __init__(self):
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "hardware.bin"
            subprocess.run(
                ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-ffreestanding", "-fpie",
                 "-fvisibility=hidden", "-fno-stack-protector", "-fcf-protection=none",
                 "-fno-asynchronous-unwind-tables", "-mno-red-zone", "-mgeneral-regs-only",
                 "-nostdlib", "-static", "-Wl,--oformat=binary,--build-id=none",
                 "-Wl,-T," + str(HERE / "hardware.ld"), "-o", output, HERE / "hardware.c"],
                check=True)
            self.code = output.read_bytes()
        *hooks, self.config_offset = struct.unpack_from("<6I", self.code)
        self.hook_offsets = dict(zip(HOOKED, hooks))

    def configured(self, profile, addresses):
        """The bytes to place in the kernel; `addresses` are the kernel's own functions."""
        rules = cpuid_rules(profile)
        if len(rules) > MAX_RULES:
            raise Failure(f"{len(rules)} CPUID rules, at most {MAX_RULES}")
        monitoring = profile.monitoring or {}
        config = struct.pack(
            "<6Q7I",
            *(addresses[name] for name in HOOKED), addresses["jiffies"],
            TICKS_PER_SECOND,
            profile.domain_shift,
            profile.l2_shift,
            monitoring.get("rmids", 0),
            _event_bits(monitoring),
            monitoring.get("counter_bits", 24),
            len(rules),
        ) + b"".join(struct.pack("<10I", *rule) for rule in rules)
        start = self.config_offset
        return self.code[:start] + config + self.code[start + len(config):]


def _event_bits(monitoring):
    return sum(1 << EVENTS.index(event) for event in monitoring.get("events", ()))


def cpuid_rules(profile):
    """CPUID results that differ from QEMU's, as (leaf, subleaf, 4 keep masks, 4 set masks)."""
    rules = []

    def force(leaf, subleaf, *registers):
        """Replace the whole result."""
        rules.append((leaf, subleaf, 0, 0, 0, 0, *registers))

    def add(leaf, subleaf, **registers):
        """Set bits in the real result."""
        rules.append((leaf, subleaf, ALL, ALL, ALL, ALL,
                      *(registers.get(name, 0) for name in ("eax", "ebx", "ecx", "edx"))))

    def at_least(leaf, highest):
        """Raise the highest leaf number that `leaf` reports."""
        rules.append((leaf, ANY_SUBLEAF, 0, ALL, ALL, ALL, highest, 0, 0, 0))

    amd = profile.vendor == "amd"
    monitoring, bandwidth = profile.monitoring, profile.bandwidth
    cache, l2_cache = profile.cache, profile.l2_cache

    # QEMU answers a leaf beyond its highest with stray data, so each leaf that
    # becomes reachable is cleared before what the profile has is put in.
    at_least(0, 0x10)
    force(0xF, ANY_SUBLEAF, 0, 0, 0, 0)
    force(0x10, ANY_SUBLEAF, 0, 0, 0, 0)
    add(7, 0, ebx=bool(monitoring) << 12 | bool(cache or l2_cache or bandwidth) << 15)
    if amd:
        at_least(0x80000000, 0x80000020)
        force(0x8000001F, ANY_SUBLEAF, 0, 0, 0, 0)
        force(0x80000020, ANY_SUBLEAF, 0, 0, 0, 0)
        add(0x80000001, ANY_SUBLEAF, ecx=1 << 22)  # topology extensions: one L3 per die

    if monitoring:
        top = monitoring["rmids"] - 1
        narrowest = 24  # counter widths are given as bits beyond these
        force(0xF, 0, 0, top, 0, 1 << 1)
        force(0xF, 1, monitoring["counter_bits"] - narrowest, monitoring["unit_bytes"],
              top, _event_bits(monitoring))
    if cache or l2_cache or bandwidth:
        resources = bool(cache) << 1 | bool(l2_cache) << 2 | bool(bandwidth and not amd) << 3
        force(0x10, 0, 0, resources, 0, 0)
    for subleaf, masks in ((1, cache), (2, l2_cache)):
        if masks:
            force(0x10, subleaf, masks["mask_bits"] - 1, int(masks["shareable_mask"], 16),
                  bool(masks["cdp"]) << 2, masks["closids"] - 1)
    if l2_cache:
        sharing = 0xFFF << 14  # the field for how many APIC ids share Intel's L2
        rules.append((4, 2, ALL & ~sharing, ALL, ALL, ALL,
                      (1 << profile.l2_shift) - 1 << 14, 0, 0, 0))
    if bandwidth and amd:
        add(0x80000008, ANY_SUBLEAF, ebx=1 << 6)
        force(0x80000020, 0, 0, 1 << 1, 0, 0)
        force(0x80000020, 1, bandwidth["limit_bits"], 0, 0, bandwidth["closids"] - 1)
    elif bandwidth:
        linear, per_thread = 1 << 2, bool(bandwidth["per_thread"])
        force(0x10, 3, bandwidth["max_throttle_percent"] - 1, 0, linear | per_thread,
              bandwidth["closids"] - 1)

    for leaf, subleaf, *registers in profile.cpuid:  # null: as QEMU has it
        rules.append((int(leaf, 16), int(subleaf, 16),
                      *(ALL if value is None else 0 for value in registers),
                      *(int(value or "0", 16) for value in registers)))
    return rules

"""Debian's stock kernel, made bootable by QEMU directly and given the simulated hardware.

The kernel file itself is never changed.  A copy of the vmlinux inside it is
patched in two places: the hardware image goes into the unused space between
the kernel's code and its read-only data, and the five pointers in the table
`pv_ops` through which the kernel executes CPUID and reads and writes MSRs are
redirected to it.  Both addresses come from the kernel's own symbol table,
which a one-CPU boot of the unpatched copy prints once (guests.print_symbols).
"""

import json
import struct
from pathlib import Path

from . import Failure, cache
from .hardware import HOOKED

SYMBOLS = (*HOOKED, "jiffies", "pv_ops", "__start_rodata")
PAGE = 4096


class Kernel:
    """An unpacked kernel in the cache: vmlinux, its modules, its symbols."""

    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        self.vmlinux = self.folder / "vmlinux"
        self.modules = self.folder / "modules"
        self.release = (self.folder / "release").read_text().strip()

    def symbols(self, print_symbols):
        """Every address of each name in SYMBOLS; `print_symbols` boots the kernel to find out."""
        cached = self.folder / "symbols.json"
        with cache.locked(cached):
            if not cached.exists():
                found = self._look_up(print_symbols)
                part = cached.with_suffix(".new")
                part.write_text(json.dumps(found))
                part.rename(cached)
        return json.loads(cached.read_text())

    def _look_up(self, print_symbols):
        found = {name: [] for name in SYMBOLS}
        for line in print_symbols(self, SYMBOLS).splitlines():
            address, _, name = line.split()[:3]
            if name in found:
                found[name].append(int(address, 16))
        missing = [name for name, addresses in found.items() if not addresses]
        if missing:
            raise Failure(f"kernel {self.release} has no symbol {', '.join(missing)}")
        return found


def patched(kernel, symbols, hardware, profile):
    """The vmlinux that boots on `profile`'s simulated hardware."""
    image = bytearray(kernel.vmlinux.read_bytes())
    file_offset = _segment_map(image)

    # Code ends on a 2 MB boundary, filled up to it with one byte.
    (rodata,) = symbols["__start_rodata"]
    place = (rodata - len(hardware.code)) // PAGE * PAGE
    unused = image[file_offset(place):file_offset(place) + len(hardware.code)]
    if len(set(unused)) != 1:
        raise Failure("there is no room after the kernel's code")

    # The kernel has many local copies of some hooked functions; the ones that
    # count are those its table points at.
    (table,) = symbols["pv_ops"]
    own = {}
    for name in HOOKED:
        slots = [slot for slot in range(file_offset(table), file_offset(table) + 1024, 8)
                 if struct.unpack_from("<Q", image, slot)[0] in symbols[name]]
        if len(slots) != 1:
            raise Failure(f"pv_ops points at {name} {len(slots)} times, expected once")
        (own[name],) = struct.unpack_from("<Q", image, slots[0])
        struct.pack_into("<Q", image, slots[0], place + hardware.hook_offsets[name])
    (own["jiffies"],) = symbols["jiffies"]

    code = hardware.configured(profile, own)
    image[file_offset(place):file_offset(place) + len(code)] = code
    return image


def _segment_map(elf):
    """A function from kernel address to offset in the ELF file."""
    headers, = struct.unpack_from("<Q", elf, 32)
    size, count = struct.unpack_from("<HH", elf, 54)
    loadable = 1
    segments = []
    for index in range(count):
        kind, _, offset, address, _, length = struct.unpack_from(
            "<IIQQQQ", elf, headers + index * size)
        if kind == loadable:
            segments.append((address, length, offset))

    def file_offset(address):
        for start, length, offset in segments:
            if start <= address < start + length:
                return offset + address - start
        raise Failure(f"address {address:#x} is not in the kernel image")

    return file_offset

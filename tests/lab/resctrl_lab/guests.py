"""Guests under QEMU's own processor emulation (TCG): booted, saved and started again.

A guest's first boot ends with it waiting for a job.  There it can be saved:
its memory is a file already, so that is a matter of writing the device state
beside it.  Any number of later guests start from the same files, each with a
private copy-on-write view of the memory, in about a second.
"""

import contextlib
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from . import Failure, cache, initramfs, kernel
from .vm import BOOT_TIMEOUT, QEMU, VirtualMachine

KERNEL_ARGUMENTS = " ".join([
    "console=ttyS0 quiet panic=-1",
    # The simulated hardware lives between the kernel's sections, in memory that
    # the kernel would otherwise take back or make inaccessible after booting.
    "rodata=off",
    # All CPUs tick until the boot is nearly done, which is more than one host
    # core can emulate for many CPUs.  guest/init starts the others.
    "maxcpus=1",
    # No calibration loops, no self tests, nothing that times the emulation.
    "lpj=8000000 tsc=reliable no_timer_check cryptomgr.notests mitigations=off",
    "nowatchdog rcupdate.rcu_cpu_stall_suppress=1",
    # Else each CPU start rewrites a directory for every other CPU.
    "debugfs=off",
])


def machine(profile, folder, memory):
    """QEMU's arguments for a profile, whose kernel and initramfs are in `folder`.

    `memory` gives the backend of a NUMA node's memory.
    """
    cpu = profile.fields["cpu_model"] + "".join([
        # The memory range registers, which every CPU start stops all CPUs to set.
        ",-mtrr",
        # CMPXCHG16B, after which QEMU 7.2 may hand an interrupt false flags: guests crash.
        ",-cx16",
        # Fast string moves, which are slow here: a byte at a time, else eight.
        ",-erms,-fsrm",
    ])
    # One thread for all CPUs: with several, QEMU 7.2 may run code that another CPU has just
    # patched, and mounting resctrl patches the scheduler.
    arguments = ["-accel", "tcg,thread=single", "-cpu", cpu,
                 "-smp", f"{profile.cpus},sockets={profile.sockets},dies={profile.dies},"
                         f"cores={profile.cores},threads={profile.threads}",
                 "-m", str(profile.fields["memory_mb"]),
                 "-kernel", f"{folder}/vmlinux", "-initrd", f"{folder}/initramfs",
                 "-append", KERNEL_ARGUMENTS]
    nodes = range(profile.numa_nodes)
    size = profile.fields["memory_mb"] // len(nodes)
    share = profile.cpus // len(nodes)
    for node in nodes:
        arguments += ["-object", f"{memory(node)},id=memory{node},size={size}M",
                      "-numa", f"node,nodeid={node},memdev=memory{node},"
                               f"cpus={node * share}-{(node + 1) * share - 1}"]
    for near in nodes:
        for far in nodes[near + 1:]:
            arguments += ["-numa", f"dist,src={near},dst={far},"
                                   f"val={profile.fields['numa_distance']}"]
    return arguments


def write_boot_files(folder, guest_kernel, hardware, profile):
    """Put a profile's kernel and initramfs where machine() expects them."""
    symbols = guest_kernel.symbols(print_symbols)
    (folder / "vmlinux").write_bytes(kernel.patched(guest_kernel, symbols, hardware, profile))
    (folder / "initramfs").write_bytes(initramfs.for_profile(guest_kernel, profile))


def print_symbols(guest_kernel, names):
    """Boot an unpatched kernel once, to have it print addresses of its own."""
    with run_folder() as folder:
        (folder / "initramfs").write_bytes(initramfs.symbol_printer(names))
        subprocess.run(
            [QEMU, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
             "-accel", "tcg", "-cpu", "max,-cx16", "-m", "512", "-kernel", guest_kernel.vmlinux,
             "-initrd", folder / "initramfs", "-append", KERNEL_ARGUMENTS,
             "-serial", f"file:{folder / 'console'}", "-serial", f"file:{folder / 'symbols'}"],
            check=True, stderr=subprocess.DEVNULL, timeout=BOOT_TIMEOUT)
        if found := (folder / "symbols").read_text():
            return found
        console = (folder / "console").read_text(errors="replace")
        raise Failure("the kernel did not boot to tell its addresses\n" + console)


@contextlib.contextmanager
def run_folder():
    """A folder for one run, with a path short enough for the sockets in it: 107 characters."""
    with tempfile.TemporaryDirectory(prefix="bulkhead-lab-", dir="/tmp") as folder:
        yield Path(folder)


class Snapshot:
    """A booted guest of one profile, saved in the cache."""

    def __init__(self, guest_kernel, hardware, profile):
        self.guest_kernel, self.hardware, self.profile = guest_kernel, hardware, profile
        version = subprocess.run([QEMU, "--version"], check=True, capture_output=True).stdout
        # The guest's clock follows this processor's, so it is no good elsewhere.
        processor = next((line for line in open("/proc/cpuinfo") if "model name" in line), "")
        digest = hashlib.sha256()
        for part in (json.dumps(profile.fields), guest_kernel.folder.name, processor,
                     str(machine(profile, "", str))):
            digest.update(part.encode())
        for part in (hardware.code, initramfs.for_profile(guest_kernel, profile), version):
            digest.update(part)
        self.folder = cache.SNAPSHOTS / f"{profile.name}-{digest.hexdigest()[:12]}"

    def start(self, vm):
        """Start a guest from the snapshot, which is left as it is."""
        vm.start([*self._machine(self.folder, share="off"), "-incoming", "defer"])
        vm.restore(self.folder / "state")

    def make(self):
        """Boot and save, unless that was done before.  Others who want the same wait."""
        with cache.locked(self.folder):
            if self.folder.exists():
                return
            made = Path(f"{self.folder}.new")
            shutil.rmtree(made, ignore_errors=True)
            made.mkdir()
            write_boot_files(made, self.guest_kernel, self.hardware, self.profile)
            with run_folder() as folder, VirtualMachine(folder) as vm:
                vm.start(self._machine(made, share="on"))
                vm.wait_ready()
                vm.save(made / "state")
            made.rename(self.folder)

    def _machine(self, folder, share):
        return machine(self.profile, folder, lambda node: "memory-backend-file,mem-path="
                                                          f"{folder}/memory{node},share={share}")


def run(profile, guest_kernel, hardware, write_job, *, cold=False, timeout=None,
        keep_console=None):
    """Run a job on a fresh guest and return its exit status."""
    with run_folder() as folder:
        write_job(folder / "job")
        with VirtualMachine(folder) as vm:
            try:
                if cold:
                    write_boot_files(folder, guest_kernel, hardware, profile)
                    vm.start(machine(profile, folder, lambda node: "memory-backend-ram"))
                    vm.wait_ready()
                else:
                    snapshot = Snapshot(guest_kernel, hardware, profile)
                    snapshot.make()
                    snapshot.start(vm)
                status = vm.run_job(sys.stdout.buffer, sys.stderr.buffer, timeout)
                if remarks := vm.console.read_text(errors="replace").strip():
                    print("lab: the guest's kernel remarked:\n" + remarks, file=sys.stderr)
                return status
            finally:
                if keep_console and vm.console.exists():
                    shutil.copy(vm.console, keep_console)

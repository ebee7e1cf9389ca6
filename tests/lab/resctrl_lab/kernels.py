"""The kernels in the cache: taken in from Debian's packages, which apt fetches if need be."""

import gzip
import hashlib
import lzma
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from . import Failure, cache
from .kernel import Kernel

USUAL = "linux-image-cloud-amd64"
DEFAULT = cache.KERNELS / "default"
WANTED_MODULES = ("virtio_pci", "virtio_console", "virtio_blk", "msr")
# What the lab calls, and Debian's package of it.
NEEDED = {
    "qemu-system-x86_64": "qemu-system-x86",
    "busybox": "busybox-static",
    "cc": "gcc",
    "dpkg-deb": "dpkg",
}


def find(release=None):
    """A kernel by the beginning of its release, else the default, which is fetched at first."""
    _require(NEEDED)
    if release:
        found = [Kernel(folder) for folder in cache.KERNELS.glob(f"{release}*-*/")]
        if not found:
            raise Failure(f"no kernel {release} in {cache.KERNELS}: "
                          f"add-kernel linux-image-{release}-cloud-amd64")
        return max(found, key=lambda kernel: _by_number(kernel.release))
    with cache.locked(DEFAULT):
        if not DEFAULT.exists():
            make_default(fetch(USUAL))
    return Kernel(DEFAULT)


def _by_number(release):
    return [int(number) for number in re.findall(r"\d+", release)]


def make_default(kernel):
    new = cache.KERNELS / ".default.new"
    new.unlink(missing_ok=True)
    new.symlink_to(kernel.folder.name)
    new.rename(DEFAULT)


def fetch(package):
    """Take in a kernel by the name of its package, or of one that depends on it."""
    with tempfile.TemporaryDirectory() as folder:
        depends = _apt(folder, "apt-cache", "depends", package)
        image = re.search(r"Depends: (linux-image-\S+)", depends)
        package = image[1] if image else package
        print(f"lab: fetching {package} for the guests", file=sys.stderr, flush=True)
        _apt(folder, "apt-get", "download", package)
        return add(Path(folder).glob("*.deb"))


def _apt(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{' '.join(command)} failed: {done.stderr.strip()}\n"
                      "lab: try again after apt-get update, or get the package elsewhere and "
                      "give its file: tests/lab/add-kernel --default linux-image-....deb")
    return done.stdout


def add(packages):
    """Unpack a kernel's .deb, or several that make it up together, into the cache."""
    _require(NEEDED)
    with tempfile.TemporaryDirectory() as folder:
        for package in packages:
            subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
        images = list(Path(folder).glob("boot/vmlinuz-*"))
        if len(images) != 1:
            raise Failure(f"one kernel expected in the packages, not {len(images)}")
        release = images[0].name.removeprefix("vmlinuz-")
        contents = images[0].read_bytes()
        target = cache.KERNELS / f"{release}-{hashlib.sha256(contents).hexdigest()[:12]}"
        with cache.locked(target):
            if not target.exists():
                _unpack(contents, release, Path(folder), target)
    return Kernel(target)


def _unpack(image, release, folder, target):
    made = target.with_name(f".{target.name}")
    shutil.rmtree(made, ignore_errors=True)
    (made / "modules").mkdir(parents=True)
    (made / "vmlinux").write_bytes(decompress(image))
    (made / "release").write_text(release + "\n")
    for place, (name, contents) in enumerate(_with_dependencies(WANTED_MODULES, folder)):
        (made / "modules" / f"{place:02}-{name}.ko").write_bytes(contents)
    made.rename(target)


def _with_dependencies(wanted, folder):
    """The named modules and those they need, as (name, contents), in loading order."""
    files = {path.name.split(".")[0].replace("-", "_"): path
             for path in folder.glob("**/lib/modules/*/kernel/**/*.ko*")}
    loaded = {}

    def load(name):
        if name in loaded or name not in files:  # not in files: built in
            return
        contents = files[name].read_bytes()
        if files[name].suffix == ".xz":
            contents = lzma.decompress(contents)
        needs = contents.split(b"\0depends=", 1)[1].split(b"\0", 1)[0].decode()
        for needed in filter(None, needs.split(",")):
            load(needed.replace("-", "_"))
        loaded[name] = contents

    for name in wanted:
        load(name)
    return loaded.items()


def decompress(bzimage):
    """The ELF kernel inside a compressed kernel image."""
    setup_sectors = bzimage[0x1F1] or 4
    offset, length = struct.unpack_from("<II", bzimage, 0x248)
    start = (setup_sectors + 1) * 512 + offset
    payload = bzimage[start:start + length]
    if payload.startswith(b"\x1f\x8b"):
        return gzip.decompress(payload[:-4])
    if payload.startswith((b"\xfd7zXZ", b"\x5d\x00\x00")):
        return lzma.decompress(payload[:-4])
    for magic, tool in ((b"\x02\x21\x4c\x18", "lz4"), (b"\x28\xb5\x2f\xfd", "zstd")):
        if payload.startswith(magic):
            _require({tool: tool})
            # The kernel build appends the unpacked size, which the tools report as junk.
            result = subprocess.run([tool, "-dc"], input=payload[:-4], stdout=subprocess.PIPE,
                                    check=True)
            return result.stdout
    raise Failure("the kernel is compressed in a way this lab does not know")


def _require(programs):
    """Fail, naming the packages to install, unless all `programs` are here."""
    missing = {package for program, package in programs.items() if not shutil.which(program)}
    if missing:
        raise Failure(f"missing here: apt-get install {' '.join(sorted(missing))}")

"""The archive that a guest boots from."""

import io
import stat
from pathlib import Path

from . import BUSYBOX, acpi, systemd

GUEST = Path(__file__).parent / "guest"
SYSTEM_FOLDERS = ("usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "usr/local/bin", "dev", "etc",
                  "lab", "proc", "root", "run", "sys", "tmp")


def cpio(entries):
    """A newc cpio archive of (path, mode, contents), as the kernel unpacks it."""
    archive = io.BytesIO()
    for number, (path, mode, data) in enumerate([*entries, ("TRAILER!!!", 0, b"")]):
        name = path.encode() + b"\0"
        fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0)
        archive.write(b"070701" + b"".join(b"%08x" % field for field in fields) + name)
        archive.write(bytes(-archive.tell() % 4))
        archive.write(data)
        archive.write(bytes(-archive.tell() % 4))
    return archive.getvalue()


def _folder(path):
    return path, stat.S_IFDIR | 0o755, b""


def _text(path, contents):
    return path, stat.S_IFREG | 0o644, contents.encode()


def _program(path, source):
    return path, stat.S_IFREG | 0o755, Path(source).read_bytes()


def for_profile(kernel, profile):
    """What a guest boots from: busybox, the lab's own scripts, the kernel's modules."""
    merged = [(name, stat.S_IFLNK | 0o777, b"usr/" + name.encode())
              for name in ("bin", "sbin", "lib", "lib64")]
    folders = [path for folder in SYSTEM_FOLDERS for path in _with_parents(folder)]
    tables = ([(acpi.PATH, stat.S_IFREG | 0o644, acpi.processor_table(profile))]
              if profile.fields.get("first_threads_first") else [])
    with_systemd = profile.first_process == "systemd"
    return cpio([
        *tables,
        *(_folder(path) for path in dict.fromkeys(folders)),
        *merged,
        _text("etc/passwd", "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n"
                            + systemd.USERS * with_systemd),
        _text("etc/group", "root:x:0:\nnogroup:x:65534:\n" + systemd.GROUPS * with_systemd),
        _text("lab/cgroup", profile.cgroup + "\n"),
        _program("usr/bin/busybox", BUSYBOX),
        _program("usr/bin/rdt-counter", GUEST / "rdt-counter"),
        _program("init", GUEST / "init"),
        _program("lab/serve", GUEST / "serve"),
        _folder("lab/modules"),
        *(_program(f"lab/modules/{module.name}", module)
          for module in sorted(kernel.modules.iterdir())),
        *(_systemd() if with_systemd else []),
    ])


def _systemd():
    """systemd's files, in folders that are made before them."""
    entries = [*(_program(*pair) for pair in sorted(systemd.programs().items())),
               *(_text(path, source.read_text()) for path, source in sorted(systemd.data().items())),
               *(_text(*pair) for pair in systemd.OWN.items()),
               *((path, stat.S_IFLNK | 0o777, target.encode()) for path, target in systemd.LINKS.items())]
    folders = [parent for path, *_ in entries for parent in _with_parents(path)[:-1]]
    return [*map(_folder, dict.fromkeys(folders)), *entries]


def symbol_printer(symbols):
    """Boots a guest that prints the addresses of kernel symbols."""
    return cpio([
        *map(_folder, ("bin", "dev", "lab", "proc")),
        _program("bin/busybox", BUSYBOX),
        _program("init", GUEST / "print-symbols"),
        _text("lab/symbols", "".join(f"{name}\n" for name in symbols)),
    ])


def _with_parents(path):
    return [*(str(parent) for parent in reversed(Path(path).parents) if parent.name), path]

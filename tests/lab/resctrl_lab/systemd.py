"""What a guest has besides where systemd is its first process: Debian's packages systemd and dbus.

They are taken from where they are installed here, without this machine's own configuration.  There are
neither a journal nor udev, logins or generators: what a service is started and limited by, and no more.
"""

from pathlib import Path

from . import Failure, files

PROGRAMS = ("usr/lib/systemd/systemd", "usr/bin/systemctl", "usr/bin/systemd-run", "usr/bin/busctl",
            "usr/bin/dbus-daemon", "usr/bin/dbus-send")
LIBRARY = "libsystemd.so.0"  # which bulkhead loads when it is needed
UNITS = ("basic", "local-fs", "multi-user", "paths", "shutdown", "slices", "sockets", "swap", "sysinit",
         "timers", "umount")
DATA = ("usr/share/dbus-1/system.conf", "usr/share/dbus-1/system.d/org.freedesktop.systemd1.conf",
        "usr/share/dbus-1/system-services/org.freedesktop.systemd1.service",
        *(f"usr/lib/systemd/system/{unit}.target" for unit in UNITS),
        *(f"usr/lib/systemd/system/{unit}" for unit in ("dbus.socket", "dbus.service", "user.slice", "machine.slice")))
GUEST = Path(__file__).parent / "guest"
OWN = {
    "lab/systemd": "",
    "etc/machine-id": "0123456789abcdef0123456789abcdef\n",
    "etc/os-release": "ID=debian\nPRETTY_NAME=lab\n",
    "etc/systemd/system.conf": (GUEST / "system.conf").read_text(),
    "etc/systemd/system/lab.service": (GUEST / "lab.service").read_text(),
}
LINKS = {
    "etc/systemd/system/default.target": "/usr/lib/systemd/system/multi-user.target",
    "etc/systemd/system/multi-user.target.wants/lab.service": "../lab.service",
    "usr/lib/systemd/system/sockets.target.wants/dbus.socket": "../dbus.socket",
}
USERS, GROUPS = "messagebus:x:101:101::/nonexistent:/bin/false\n", "messagebus:x:101:\n"


def programs():
    """{path in the guest: file here} of the programs and the libraries that they need."""
    wanted = [Path("/") / name for name in PROGRAMS]
    wanted += sorted(Path("/usr/lib").glob(f"*/{LIBRARY}"))
    return {_place(path): path.resolve() for path in files.with_dependencies(map(_present, wanted))}


def data():
    """{path in the guest: file here} of units and of the bus's rules."""
    return {name: _present(Path("/") / name) for name in DATA}


def _present(path):
    if not path.exists():
        raise Failure(f"{path} is not here: install systemd and dbus")
    return path


def _place(path):
    """Where a library of /lib is in the guest, whose /lib is a link."""
    name = str(path).removeprefix("/")
    return f"usr/{name}" if name.startswith("lib") else name

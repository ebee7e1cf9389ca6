"""Files that a guest needs to run a program: itself, its libraries, its interpreter."""

import functools
import os
import re
import shutil
import subprocess
from pathlib import Path

from . import BUSYBOX, Failure


def program(name, build):
    """The file of a command; None for a command of busybox's, or one that is not here."""
    if "/" in name:
        return Path(os.path.abspath(name)) if os.path.exists(name) else None
    if build and (found := build.program(name)):
        return found
    if name in _busybox_commands():
        return None
    found = shutil.which(name)
    return Path(found) if found else None


def wanted(name):
    """What --files names: a path, or a program of this machine."""
    if os.path.lexists(name):
        return Path(os.path.abspath(name))
    if "/" not in name and (found := shutil.which(name)):
        return Path(found)
    raise Failure(f"{name}: no such file or program here")


@functools.cache
def _busybox_commands():
    listing = subprocess.run([BUSYBOX, "--list"], check=True, capture_output=True, text=True)
    return set(listing.stdout.split())


def with_dependencies(paths):
    """`paths`, what is in them if they are folders, and what the programs among them need."""
    found = {}
    pending = list(paths)
    while pending:
        path = pending.pop()
        if path in found:
            continue
        found[path] = None
        if path.is_symlink():
            pending.append(path.parent / os.readlink(path))
        elif path.is_dir():
            pending.extend(path.iterdir())
        elif path.is_file():
            pending.extend(_needed_by(path))
    return [path for path in found if os.path.lexists(path)]


def _needed_by(path):
    """Shared libraries of a program, or the interpreter of a script."""
    with open(path, "rb") as file:
        start = file.readline(256)
    if start.startswith(b"#!"):
        words = start[2:].decode(errors="replace").split()
        if Path(words[0]).name == "env" and len(words) > 1:
            words = words[1:]
        interpreter = program(Path(words[0]).name, None) or program(words[0], None)
        return [interpreter] if interpreter else []
    if start.startswith(b"\x7fELF"):
        listing = subprocess.run(["ldd", path], capture_output=True, text=True)
        return [Path(library) for library in re.findall(r"(/\S+) \(0x", listing.stdout)]
    return []

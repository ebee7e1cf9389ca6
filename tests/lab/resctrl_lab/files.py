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
    complete = set()  # libraries of a program that is in, and so all that they need themselves
    pending = list(paths)
    while pending:
        path = pending.pop()
        if path in found:
            continue
        found[path] = None
        if path.is_symlink():
            target = path.parent / os.readlink(path)
            complete |= {target} if path in complete else set()
            pending.append(target)
        elif path.is_dir():
            pending.extend(path.iterdir())
        elif path.is_file() and path not in complete:
            libraries = _libraries(path)
            complete.update(libraries)
            pending.extend(libraries or _interpreter(path))
    return [path for path in found if os.path.lexists(path)]


def _libraries(path):
    """The shared libraries of a program, and theirs."""
    with open(path, "rb") as file:
        if file.read(4) != b"\x7fELF":
            return []
    listing = subprocess.run(["ldd", path], capture_output=True, text=True)
    return [Path(library) for library in re.findall(r"(/\S+) \(0x", listing.stdout)]


def _interpreter(path):
    """That of a script, as a list of one or none."""
    with open(path, "rb") as file:
        start = file.readline(256)
    if not start.startswith(b"#!"):
        return []
    words = start[2:].decode(errors="replace").split()
    if Path(words[0]).name == "env" and len(words) > 1:
        words = words[1:]
    interpreter = program(Path(words[0]).name, None) or program(words[0], None)
    return [interpreter] if interpreter else []

"""What the suites that test `bulkhead` on the real kernel share.

They run scripts in guests (bulkhead_lab.sh is sourced before) that print named parts, and compare those here.
"""

import dataclasses
import hashlib
import os
import re
import subprocess
from pathlib import Path

from resctrl_lab import build, cache

LAB = Path(__file__).resolve().parent
REPOSITORY = LAB.parent.parent
HOST = "amd-12ccd-nps2"
SMALL = "amd-2ccd"
POLICIES = "tests/lab/policies"
# Told on standard error by what takes longer than a second, which depends on the machine.
PROGRESS = re.compile(r"^bulkhead: (applying [\w.-]+|resetting)(: step .*)?\n", re.MULTILINE)


@dataclasses.dataclass
class Part:
    """What one command of a script said, and its status."""
    text: str = ""
    status: int = 0

    @property
    def lines(self):
        return self.text.splitlines()


def guest(script, host=HOST, files=(), options=(), timeout=240):
    """The parts of what a script printed that ran in a guest; it must succeed."""
    programs = {"CROWD": program("crowd"), "FAULT_LIBRARY": program("fault")}
    command = [LAB / "run", "--host", host, "--timeout", str(timeout), *options]
    for name in ["tests/lab/bulkhead_lab.sh", "examples", POLICIES, *programs.values(), *files]:
        command += ["--files", name]
    for name, path in programs.items():
        command += ["--env", f"{name}={path}"]
    done = subprocess.run([*command, "--", "sh", "-euc", ". tests/lab/bulkhead_lab.sh\n" + script], cwd=REPOSITORY,
                          env=environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"status {done.returncode}: ...{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return parts(done.stdout)


def parts(output):
    """{name: Part} of what the guest's `part` has printed."""
    found = {}
    for piece in re.split(r"^#### ", output, flags=re.MULTILINE)[1:]:
        name, _, text = piece.partition("\n")
        text, _, status = text.partition("#= ")
        status = status.split("\n")[0]
        if name in found:
            raise AssertionError(f"two parts are called {name}")
        found[name] = Part(PROGRESS.sub("", text), int(status or 0))
    return found


def bulkhead(*arguments):
    """What the program of the guests says here; it must succeed."""
    named = environment().get("BULKHEAD_BUILD")
    folder = REPOSITORY / named / "bin" if named else build.find().folder
    return subprocess.run([folder / "bulkhead", *arguments], cwd=REPOSITORY, check=True, capture_output=True,
                          text=True).stdout


def environment():
    """The optimised program where nothing else is asked for: guests are slow, and sanitizers do not bear tracing."""
    if "BULKHEAD_BUILD" not in os.environ:
        for name in "release", "lab":  # lab is what tests/run builds
            if (REPOSITORY / "build" / name / "bin" / "bulkhead").exists():
                return {**os.environ, "BULKHEAD_BUILD": str(REPOSITORY / "build" / name)}
    return os.environ


def program(name):
    """programs/NAME.c, compiled: crowd is a program, fault is preloaded."""
    source = LAB / "programs" / f"{name}.c"
    options = {"crowd": ["-static", "-pthread"], "fault": ["-shared", "-fPIC"]}[name]
    path = cache.FOLDER / "programs" / f"{name}-{hashlib.sha256(source.read_bytes()).hexdigest()[:12]}"
    with cache.locked(path):
        if not path.exists():
            fresh = path.with_suffix(".new")
            subprocess.run(["gcc", "-O1", "-Wall", "-Werror", *options, "-o", fresh, source], check=True)
            fresh.rename(path)
    return path

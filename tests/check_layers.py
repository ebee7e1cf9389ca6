#!/usr/bin/python3
"""Holds the house to its plan: which room may include which, and who may spell the kernel's paths."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# room -> the rooms it may use; a room is the folder that a file lies in.
MAY_USE = {
    "controller/base": set(),
    "policies": {"controller/base"},
    "controller/topology": {"controller/base"},
    "controller/planner": {"controller/base", "policies", "controller/topology"},
    "controller/kernel": {"controller/base"},
    "controller/resctrl": {"controller/base", "controller/topology", "controller/planner", "controller/kernel",
                           "policies"},
    "controller/monitor": {"controller/base", "controller/topology", "controller/planner", "controller/kernel",
                           "controller/resctrl", "policies"},
    "controller/pqos": {"controller/base", "controller/topology", "controller/planner", "controller/kernel",
                        "controller/monitor", "controller/resctrl"},
    "cgroup": {"controller/base", "controller/planner", "controller/kernel", "policies"},
    "controller/engine": {"controller/base", "controller/topology", "controller/planner", "controller/kernel",
                          "controller/monitor",
                          "controller/resctrl", "controller/pqos", "cgroup", "policies"},
    "controller/experiment": {"controller/base", "controller/topology", "controller/planner", "controller/kernel",
                              "controller/monitor", "controller/resctrl", "controller/engine", "cgroup",
                              "policies"},
    "controller/host": {"controller/base", "controller/topology", "controller/kernel", "controller/resctrl",
                        "controller/monitor", "cgroup"},
    "controller/api": {"controller/base", "controller/kernel", "policies"},
    "controller/daemon": {"controller/base", "controller/topology", "controller/planner", "controller/kernel",
                          "controller/monitor",
                          "controller/resctrl", "controller/pqos", "controller/engine", "controller/api",
                          "controller/experiment", "cgroup",
                          "policies"},
    "controller/cli": {"controller/base", "controller/topology", "controller/planner", "controller/kernel",
                       "controller/resctrl", "controller/pqos", "controller/monitor", "controller/engine", "controller/host",
                       "controller/api", "controller/experiment", "cgroup",
                       "policies"},
    "simulator/kernel_model": {"controller/base"},
    "simulator/hardware_model": {"controller/base", "simulator/kernel_model"},
    "simulator/fuse": {"controller/base", "simulator/kernel_model"},
    "simulator/launcher": {"controller/base", "controller/topology", "simulator/kernel_model",
                           "simulator/hardware_model", "simulator/fuse"},
}
# Pure rooms: no clock, no environment, no files of their own.
PURE = {"controller/planner", "policies", "simulator/kernel_model", "simulator/hardware_model"}
IMPURE_HEADERS = re.compile(r"<(fstream|filesystem|unistd\.h|fcntl\.h|sys/.*|cstdlib|ctime|thread)>")
IMPURE_CALLS = re.compile(r"\b(getenv|system_clock|steady_clock|fopen|ifstream)\b")
KERNEL_PATH = re.compile(r'"/(sys|proc)(/|")')
PATHS_MAY_BE_SPELLED_IN = {"controller/kernel/paths.h"}
PATHS_ARE_MODELLED_IN = ("simulator/",)


def room_of(path):
    return path.parent.as_posix()


def sources():
    for top in ("policies", "controller", "cgroup", "simulator"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                yield path.relative_to(ROOT)


def problems_of(path):
    room = room_of(path)
    if room not in MAY_USE:
        yield f"{path}: the folder {room} is not a room of the house"
        return
    for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
        included = re.match(r'#include "([^"]+)"', line)
        if included:
            used = Path(included[1]).parent.as_posix()
            if used != room and used not in MAY_USE[room]:
                yield f"{path}:{number}: {room} may not use {used}"
        if room in PURE and not line.lstrip().startswith("//"):
            if IMPURE_HEADERS.search(line) or IMPURE_CALLS.search(line):
                yield f"{path}:{number}: {room} is pure: no I/O, clock or environment"
        if (KERNEL_PATH.search(line) and str(path) not in PATHS_MAY_BE_SPELLED_IN
                and not str(path).startswith(PATHS_ARE_MODELLED_IN)):
            yield f"{path}:{number}: kernel paths are spelled in controller/kernel/paths.h only"


def main():
    checked = list(sources())
    problems = [problem for path in checked for problem in problems_of(path)]
    print("\n".join(problems) or f"{len(checked)} files keep to the plan of the house")
    return bool(problems) or not checked


if __name__ == "__main__":
    sys.exit(main())

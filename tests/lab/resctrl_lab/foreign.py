"""Groups that somebody else has made before the command starts, as a profile lists them.

Each has a name and may have schemata (a list of lines), cpus, tasks (how many
sleeping processes it holds) and mon_groups (names).
"""

import shlex


def steps(profile):
    """Shell commands that make a profile's foreign groups on a mounted resctrl."""
    return [step for group in profile.foreign_groups for step in _group(**group)]


def _group(name, schemata=(), cpus="", tasks=0, mon_groups=()):
    folder = f"/sys/fs/resctrl/{name}"
    yield f"mkdir {shlex.quote(folder)}"
    for line in schemata:
        yield _write(line, f"{folder}/schemata")
    if cpus:
        yield _write(cpus, f"{folder}/cpus_list")
    for monitoring in mon_groups:
        yield f"mkdir {shlex.quote(f'{folder}/mon_groups/{monitoring}')}"
    for _ in range(tasks):
        # The sleeper's parent ends at once, so that it is no child of the command's.
        yield ("sh -c 'sleep 1000000 > /dev/null 2>&1 & echo $! > \"$0\"' "
               + shlex.quote(f"{folder}/tasks"))


def _write(text, path):
    return f"echo {shlex.quote(text)} > {shlex.quote(path)}"

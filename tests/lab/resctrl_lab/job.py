"""What a guest is sent: the files of one run and the script that starts its command."""

import io
import os
import shlex
import tarfile

from . import FAILED, Failure, files, foreign


def write(archive, command, wanted, environment, build, mounted):
    """Write a tar archive.  Every path in it is the same in the guest as here.

    `build` is the build.Programs that come first on the PATH, or None.
    resctrl is mounted as the profile `mounted` has it, or not at all for None.
    """
    program, *arguments = command
    paths = [files.wanted(name) for name in wanted]
    located = files.program(program, build)
    if located:
        paths.append(located)
        program = str(located)
    steps = [f"mkdir -p {shlex.quote(os.getcwd())}", f"cd {shlex.quote(os.getcwd())}"]
    if build:
        paths += build.programs()
        steps.append(f"export PATH={shlex.quote(str(build.folder))}:$PATH")
    if mounted and mounted.has_resctrl:
        steps += [_mount(mounted.mount_options), *foreign.steps(mounted)]
    steps += map(_export, environment)
    script = "".join(f"{step} || exit {FAILED}\n" for step in steps)
    _tar(archive, script + f"exec {shlex.join([program, *arguments])}\n", paths)


def _mount(options):
    option = f"-o {shlex.quote(options)} " if options else ""
    return f"mount -t resctrl {option}resctrl /sys/fs/resctrl"


def _export(pair):
    name, equals, value = pair.partition("=")
    if not equals or not name.isidentifier():
        raise Failure(f"--env {pair}: not NAME=VALUE")
    return f"export {name}={shlex.quote(value)}"


def _tar(archive, script, paths):
    with tarfile.open(archive, mode="w", format=tarfile.GNU_FORMAT) as tar:
        entry = tarfile.TarInfo("lab/job")
        entry.size = len(script.encode())
        tar.addfile(entry, io.BytesIO(script.encode()))
        for path in files.with_dependencies(paths):
            tar.add(path, recursive=False)

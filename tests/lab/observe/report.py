"""Doing something and printing what came of it, as a line of a Markdown table."""

import contextlib
import errno
import os
import subprocess
import time

RESCTRL = "/sys/fs/resctrl"
CGROUP = "/sys/fs/cgroup"
AMD = "AuthenticAMD" in open("/proc/cpuinfo").read()
FULL, LIMIT = ("ffff", 2048) if AMD else ("fff", 100)
NOBODY = 65534
SETTLED = 2.5  # seconds until the RMIDs of removed groups may be used again


def read(path):
    try:
        with open(path) as file:
            return file.read().rstrip("\n")
    except OSError as error:
        return f"{errno.errorcode[error.errno]} on reading"


def write(path, text):
    """One write(2) of the whole text."""
    handle = os.open(path, os.O_WRONLY | os.O_TRUNC)
    try:
        written = os.write(handle, text.encode())
        if written != len(text.encode()):
            return f"short: {written}"
    finally:
        os.close(handle)


def heading(text, *remarks):
    print(f"\n### {text}\n")
    for remark in remarks:
        print(remark + "\n")
    print("| situation | result | last_cmd_status | afterwards |")
    print("|---|---|---|---|")


def code(text):
    text = str(text).replace("|", "\\|").replace("\n", "⏎").replace("\t", "⇥")
    return f"`{text}`" if text else ""


def shown(text):
    """What was written."""
    return code(text) or "nothing"


def status():
    path = f"{RESCTRL}/info/last_cmd_status"
    return read(path) if os.path.exists(path) else ""


def clear_status():
    """A mode write that changes nothing clears the status."""
    if os.path.exists(f"{RESCTRL}/mode"):
        with contextlib.suppress(OSError):
            write(f"{RESCTRL}/mode", "shareable\n")


def attempt(situation, action, *arguments, after=None, clear=True):
    """Do `action`, report it, and whether it worked."""
    if clear:
        clear_status()
    worked = True
    try:
        outcome = action(*arguments) or "ok"
    except OSError as error:
        outcome, worked = f"{errno.errorcode[error.errno]} ({error.errno})", False
    except subprocess.CalledProcessError as error:
        outcome, worked = f"exit {error.returncode}: {error.stderr.strip()}", False
    afterwards = after() if callable(after) else after or ""
    print(f"| {situation} | {outcome} | {code(status())} | {code(afterwards)} |", flush=True)
    return worked


def show(situation, state):
    """Report a state, with nothing done."""
    print(f"| {situation} | | | {code(state() if callable(state) else state)} |", flush=True)


def line_of(path, resource):
    """One resource's line of a schemata file."""
    for line in read(path).splitlines():
        if line.strip().startswith(resource + ":"):
            return line.strip()
    return "no such line"


def try_schemata(group, text, resource=None, note=""):
    path = f"{RESCTRL}/{group}/schemata"
    resource = resource or text.strip().split(":")[0].strip()
    attempt(shown(text) + note, write, path, text,
            after=lambda: first_domains(line_of(path, resource)))


def first_domains(line):
    domains = line.split(";")
    return ";".join(domains[:3]) + (";..." if len(domains) > 3 else "")


def run(*command):
    subprocess.run(command, check=True, capture_output=True, text=True)


def mount(options=""):
    run("mount", "-t", "resctrl", *(["-o", options] if options else []), "resctrl", RESCTRL)


def unmount():
    run("umount", RESCTRL)


def fresh(*groups, options=""):
    """Mount anew, so that every group is gone and every control is at its default."""
    if os.path.ismount(RESCTRL):
        unmount()
        time.sleep(SETTLED)
    mount(options)
    for group in groups:
        os.mkdir(f"{RESCTRL}/{group}")


def listing(folder):
    try:
        return " ".join(sorted(entry.name + "/" * entry.is_dir()
                               for entry in os.scandir(f"{RESCTRL}/{folder}")))
    except OSError as error:
        return f"{errno.errorcode[error.errno]} on listing"


def groups(folder=RESCTRL):
    own = {"info", "mon_data", "mon_groups"}
    return " ".join(sorted(entry.name for entry in os.scandir(folder)
                           if entry.is_dir() and entry.name not in own)) or "none"


@contextlib.contextmanager
def sleeper(count=1):
    processes = [subprocess.Popen(["sleep", "1000"]) for _ in range(count)]
    try:
        yield [process.pid for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def as_nobody(action, *arguments):
    """Do it in a child process that is no longer root."""
    child = os.fork()
    if child == 0:
        try:
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            action(*arguments)
            os._exit(0)
        except OSError as error:
            os._exit(error.errno)
    _, result = os.waitpid(child, 0)
    if number := os.waitstatus_to_exitcode(result):
        raise OSError(number, "in the child")

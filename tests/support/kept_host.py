"""A simulated host for tests of the daemon: the calling program starts over inside bulkhead-sim, as root of a host
where /etc, /run, /var/lib and /var/log are its own, with the daemon's groups."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SOCKET = Path("/run/bulkhead/bulkhead.sock")
CONFIG = Path("/etc/bulkhead/bulkheadd.json")
POLICY = Path("/etc/bulkhead/policy.json")
ADMIN_GROUP, READ_GROUP, USER = 4901, 4902, 4903  # ids; the user is in neither group
PATIENCE = 30

_INSIDE = "BULKHEAD_KEPT_HOST"
_PREPARE = f"""set -e
etc=/run/etc; mkdir -p $etc/bulkhead
for name in alternatives ld.so.cache localtime nsswitch.conf passwd group hosts ssl; do
  [ ! -e /etc/$name ] || cp -a /etc/$name $etc
done
printf 'bulkhead:x:{ADMIN_GROUP}:\\nbulkhead-read:x:{READ_GROUP}:\\n' >> $etc/group
mount --bind $etc /etc
for folder in /var/lib /var/log; do mount -t tmpfs -o mode=755 none $folder; done
exec "$@"
"""


def inside():
    return os.environ.get(_INSIDE) == "1"


def enter(sim, machine, *arguments):
    """Returns on that host, in the same program started anew with the same words."""
    if inside():
        return
    os.environ[_INSIDE] = "1"
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    os.execv(sim, [sim, machine, *arguments, "--", "sh", "-c", _PREPARE, "sh", "/usr/bin/python3", *_own_words()])


def _own_words():
    with open("/proc/self/cmdline", "rb") as words:
        return words.read().decode().split("\0")[1:-1]


def make_service(name):
    """A cgroup with a process in it, as a service would be; the process."""
    cgroup = Path("/sys/fs/cgroup/system.slice") / name
    cgroup.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(["sleep", "600"])
    (cgroup / "cgroup.procs").write_text(str(process.pid))
    return process


def forget_everything(bulkhead, *processes):
    """Where no daemon runs (any more): the host is as before the first policy, and nobody remembers one."""
    subprocess.run([bulkhead, "reset", "--yes"], check=True, capture_output=True)
    for process in processes:
        process.kill()
        process.wait()
    for folder in "/var/lib/bulkhead", "/run/bulkhead":
        shutil.rmtree(folder, ignore_errors=True)


class Daemon:
    """bulkheadd, from when it serves to when it is told to end."""

    def __init__(self, program, *words):
        self.program, self.words = program, words

    def __enter__(self):
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([self.program, *self.words], stderr=self.log)
        wait_until(SOCKET.exists, self.process)
        with socket.socket(socket.AF_UNIX) as connection:  # it answers once it has looked at the host
            connection.settimeout(PATIENCE)
            connection.connect(str(SOCKET))
            connection.sendall(b'{"jsonrpc":"2.0","id":0,"method":"policy.active"}\n')
            assert connection.recv(1) == b"{"
        return self

    def __exit__(self, *reason):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(PATIENCE)
        self.log.seek(0)
        text = self.log.read()
        self.log.close()
        if status != 0 or reason[0] is not None:
            print(text)
        assert status == 0, f"bulkheadd ended with {status}"


def wait_until(condition, process=None, what="what is waited for"):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, what + " does not come to be"
        assert process is None or process.poll() is None, "the program ended"
        time.sleep(0.02)

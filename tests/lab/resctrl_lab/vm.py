"""One QEMU process and the ways to talk with its guest.  Needs neither KVM nor root."""

import contextlib
import ctypes
import json
import secrets
import selectors
import signal
import socket
import subprocess
import time

from . import TIMED_OUT, Failure

QEMU = "qemu-system-x86_64"
DISK_SIZE = 4 << 30  # saved guests know the size, so it is the same for all
BOOT_TIMEOUT = 1800  # 192 CPUs take 75 s where nothing else runs


def _end_with_parent():
    """In the QEMU process: end when this program does, however that happens."""
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


class VirtualMachine:
    """One QEMU process.  Used as a context manager; leaving it ends the process."""

    CHANNELS = ("control", "stdout", "stderr", "monitor")

    def __init__(self, folder):
        """The guest's disk is the file `job` in `folder`, made if it is not there."""
        self.folder = folder
        with open(self.folder / "job", "ab") as disk:
            self._job_size = disk.tell()
            if self._job_size > DISK_SIZE:
                raise Failure("the files are too large for a guest")
            disk.truncate(DISK_SIZE)
        self.console = self.folder / "console"
        self.process = None
        self._listeners = {}
        self.channel = {}
        for name in self.CHANNELS:
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(str(self.folder / name))
            listener.listen(1)
            self._listeners[name] = listener

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process:
            self.process.kill()
            self.process.wait()
        for connection in (*self._listeners.values(), *self.channel.values()):
            connection.close()

    def start(self, arguments):
        """Run QEMU with `arguments` and this object's channels."""
        command = [QEMU, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                   *arguments, "-serial", f"file:{self.console}",
                   "-qmp", f"unix:{self.folder / 'monitor'}",
                   "-drive", f"file={self.folder / 'job'},if=none,format=raw,read-only=on,id=job",
                   "-device", "virtio-blk-pci,drive=job", "-device", "virtio-serial-pci"]
        for name in ("control", "stdout", "stderr"):
            command += ["-chardev", f"socket,id={name},path={self.folder / name}",
                        "-device", f"virtserialport,chardev={name},name={name}"]
        with open(self.folder / "qemu.log", "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, preexec_fn=_end_with_parent)
        for name, listener in self._listeners.items():
            listener.settimeout(0.1)
            while name not in self.channel:
                with contextlib.suppress(TimeoutError):
                    self.channel[name] = listener.accept()[0]
                if self.process.poll() is not None:
                    raise Failure("QEMU did not start:\n" + self.log())
        self._monitor = self.channel["monitor"].makefile("rw")
        self._monitor.readline()
        self.monitor("qmp_capabilities")

    def log(self):
        """What QEMU and the guest's kernel said, without QEMU's usual remarks."""
        usual = ("TCG doesn't support", "doesn't support hyperthreading", "Please configure -smp")
        lines = []
        for path in (self.folder / "qemu.log", self.console):
            if path.exists():
                lines += path.read_text(errors="replace").splitlines()
        return "\n".join(line for line in lines if not any(part in line for part in usual))

    def monitor(self, command, **arguments):
        """Give QEMU a command and return its answer."""
        json.dump({"execute": command, "arguments": arguments}, self._monitor)
        self._monitor.flush()
        while True:
            answer = json.loads(self._monitor.readline() or '{"error": "QEMU ended"}')
            if "error" in answer:
                raise Failure(f"QEMU refused {command}: {answer['error']}")
            if "return" in answer:
                return answer["return"]

    def wait_ready(self):
        """Wait until the guest has booted."""
        control = self.channel["control"]
        control.settimeout(BOOT_TIMEOUT)
        said = b""
        with contextlib.suppress(TimeoutError):
            while not said.endswith(b"\n") and (received := control.recv(64)):
                said += received
        if said != b"ready\n":
            raise Failure("the guest did not boot\n" + self.log())

    def save(self, state):
        """Write the device state of the guest, which stays stopped."""
        self.monitor("stop")
        self._share_memory()
        self.monitor("migrate", uri=f"exec:cat > '{state}'")
        self._await_status("query-migrate", "completed")

    def restore(self, state):
        self._share_memory()
        self.monitor("migrate-incoming", uri=f"exec:cat '{state}'")
        self._await_status("query-status", "paused")
        self.monitor("cont")

    def _share_memory(self):
        """Leave the memory, which is in files, out of the state."""
        self.monitor("migrate-set-capabilities",
                     capabilities=[{"capability": "x-ignore-shared", "state": True}])

    def _await_status(self, query, wanted):
        while (status := self.monitor(query).get("status")) != wanted:
            if status == "failed" or self.process.poll() is not None:
                raise Failure(f"{query}: {status}\n" + self.log())
            time.sleep(0.01)

    def run_job(self, stdout, stderr, timeout):
        """Start the job on the disk, pass its output on as it comes, return its exit status."""
        mark = secrets.token_hex(16)
        outputs = [_Output(self.channel["stdout"], stdout, mark),
                   _Output(self.channel["stderr"], stderr, mark)]
        control = self.channel["control"]
        control.sendall(f"{self._job_size} {int(time.time())} {mark}\n".encode())
        said = b""
        deadline = time.monotonic() + timeout if timeout else None
        with selectors.DefaultSelector() as selector:
            selector.register(control, selectors.EVENT_READ)
            for output in outputs:
                selector.register(output.connection, selectors.EVENT_READ, output)
            while not (said.endswith(b"\n") and all(output.ended for output in outputs)):
                left = deadline - time.monotonic() if deadline else None
                if deadline and left <= 0:
                    return TIMED_OUT
                for key, _ in selector.select(left):
                    try:
                        if key.data:
                            key.data.pass_on()
                        else:
                            said += self._received(control)
                    except ConnectionError:
                        raise Failure("the guest ended during the command\n"
                                          + self.log()) from None
        return int(said.split()[1])

    @staticmethod
    def _received(connection):
        data = connection.recv(1 << 16)
        if not data:
            raise ConnectionResetError
        return data


class _Output:
    """One output of the command, which is passed on up to the mark that ends it."""

    def __init__(self, connection, sink, mark):
        self.connection, self.sink = connection, sink
        self.ended = False
        self._mark = b"\0" + mark.encode()
        self._held = b""

    def pass_on(self):
        data = self._held + VirtualMachine._received(self.connection)
        self.ended = data.endswith(self._mark)
        keep = data.rfind(self._mark[:1], -len(self._mark))
        if keep < 0 or not self._mark.startswith(data[keep:]):
            keep = len(data)
        self._held = data[keep:]
        self.sink.write(data[:keep])
        self.sink.flush()

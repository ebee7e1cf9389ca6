"""libpqos in the lab: policies that it can express, a daemon, and guests in which it works. The processor's own CPUID answers
know nothing of cache control; tests/support/answer_cpuid.c answers."""

import hashlib
import subprocess

from bulkhead_lab import HOST, REPOSITORY, guest
from resctrl_lab import cache

# "own" has services with CPUs of their own, in "threads" they share them.
POLICIES = """
export LD_PRELOAD="libpqos.so.4 $ANSWER" CPUID_THREADS=0 CPUID_CLOSIDS=16
mkdir -p /run/lock /var/lock
cat > /run/own.json << 'END'
{"bulkhead": 1, "name": "own", "services": {
  "proxy": {"select": {"cgroup": "/proxy.slice"}, "cpus": {"ccds": "0-2"}, "exclusive_cpus": true,
            "l3": "75%", "l3_exclusive": true, "bandwidth": "20GB/s"},
  "database": {"select": {"cgroup": "/system.slice/database.service"}, "cpus": {"ccds": "3"}, "exclusive_cpus": true,
               "l3": {"ways": 4}},
  "others": {"select": "others", "cpus": "rest"}}}
END
cat > /run/threads.json << 'END'
{"bulkhead": 1, "name": "threads", "services": {
  "proxy": {"select": {"cgroup": "/proxy.slice"}, "cpus": {"ccds": "0-1"}, "l3": {"ways": 6}},
  "database": {"select": {"cgroup": "/system.slice/database.service"}, "cpus": {"ccds": "1-2"}, "bandwidth": "8GB/s"}}}
END
"""

# A daemon that looks often; $1 is its actuator.
DAEMON = """
call() { echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"method\\":\\"$1\\"}" | socat -t 60 - UNIX:/run/bulkhead/bulkhead.sock; }
start() {
    mkdir -p /etc/bulkhead
    echo "{\\"bulkheadd\\": 1, \\"sweep\\": \\"500ms\\", \\"actuator\\": \\"$1\\"}" > /etc/bulkhead/bulkheadd.json
    bulkheadd >> /run/said 2>&1 &
    daemon=$!
    await answers
}
answers() { call host.describe | grep -q result; }
end() { # SIGNAL
    kill -$1 $daemon
    wait $daemon || true
}
"""


def answer_cpuid():
    """tests/support/answer_cpuid.c, compiled."""
    source = REPOSITORY / "tests" / "support" / "answer_cpuid.c"
    path = cache.FOLDER / "programs" / f"answer-cpuid-{hashlib.sha256(source.read_bytes()).hexdigest()[:12]}.so"
    with cache.locked(path):
        if not path.exists():
            fresh = path.with_suffix(".new")
            subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", fresh, source], check=True)
            fresh.rename(path)
    return path


def run(script, options=()):
    library = answer_cpuid()
    return guest(f"ANSWER={library}\n{script}", HOST, ["pqos", "socat", library], options)

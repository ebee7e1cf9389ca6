"""What the lab's self tests share."""

import subprocess
from pathlib import Path

LAB = Path(__file__).resolve().parent
HOST = "amd-12ccd-nps2"


def lab(command, host=HOST, options=(), **more):
    """A finished run."""
    return subprocess.run([LAB / "run", "--host", host, "--timeout", "300", *options, "--", *command],
                          capture_output=True, text=True, **more)


def shell(script, host=HOST, options=()):
    """Standard output of a script that must succeed and say nothing on standard error."""
    done = lab(["sh", "-euc", script], host, options)
    if done.returncode or done.stderr:
        raise AssertionError(f"status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def lines(script, host=HOST, options=()):
    return shell(script, host, options).splitlines()

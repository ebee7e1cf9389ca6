"""Runs commands on simulated resctrl hosts: Debian's own kernel in QEMU guests."""

from pathlib import Path

BUSYBOX = Path("/bin/busybox")
FAILED = 125  # exit status when there is none of the command's
TIMED_OUT = 124


class Failure(Exception):
    """The lab cannot do what it was asked for.  The text says why and, if it can, the remedy."""

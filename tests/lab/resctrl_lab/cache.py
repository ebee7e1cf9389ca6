"""The lab's folder outside the repository: kernels taken in and guests saved."""

import contextlib
import fcntl
import os
from pathlib import Path

FOLDER = Path(os.environ.get("BULKHEAD_LAB_CACHE")
              or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
              / "bulkhead-lab")
KERNELS = FOLDER / "kernels"
SNAPSHOTS = FOLDER / "snapshots"


@contextlib.contextmanager
def locked(path):
    """One process at a time makes what `path` names; others who want the same wait."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{path}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield

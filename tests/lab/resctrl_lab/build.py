"""The programs of the build tree, which guests have first on their PATH."""

import os
from pathlib import Path

from . import Failure

REPOSITORY = Path(__file__).resolve().parents[3]


class Programs:
    """The executables in one build tree's folder bin."""

    def __init__(self, folder):
        self.folder = folder

    def programs(self):
        return [path for path in sorted(self.folder.iterdir()) if _executable(path)]

    def program(self, name):
        path = self.folder / name
        return path if _executable(path) else None


def find():
    """Those of $BULKHEAD_BUILD, else of the newest build of this repository, else None."""
    named = os.environ.get("BULKHEAD_BUILD")
    if named:
        folder = Path(os.path.abspath(named)) / "bin"
        if not folder.is_dir():
            raise Failure(f"BULKHEAD_BUILD: there is no folder {folder}")
        return Programs(folder)
    built = [path for path in REPOSITORY.glob("build/*/bin/bulkhead") if _executable(path)]
    newest = max(built, key=lambda path: path.stat().st_mtime, default=None)
    return Programs(newest.parent) if newest else None


def _executable(path):
    return path.is_file() and os.access(path, os.X_OK)

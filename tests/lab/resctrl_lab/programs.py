"""What the lab's small programs have in common: their options, their failures, their exit status."""

import argparse
import signal
import sys
import traceback

from . import FAILED, Failure

class Parser(argparse.ArgumentParser):
    """Wrong usage is a failure of the lab; argparse's own status could be the command's."""

    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(FAILED, f"{self.prog}: {message}\n")


def exit_with(main):
    """End this program with the status that `main` returns, or FAILED."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        sys.exit(main())
    except Failure as error:
        print(f"lab: {error}", file=sys.stderr)
    except Exception:
        traceback.print_exc()
    sys.exit(FAILED)


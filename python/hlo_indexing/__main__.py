"""`python -m hlo_indexing` and the script `hlo-indexing`: the command line."""

from __future__ import annotations

import signal
import sys

from . import _core


def main() -> int:
    """Runs the command line on sys.argv; the exit status."""
    # As in a program without Python: Ctrl-C is looked after by the subcommand, and a reader of the
    # output that goes away ends it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.stdout.flush()
    return _core.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""The program `assay`: the command line in a process of its own, which need not be tidied up."""

import atexit
import gc
import os
import sys
from contextlib import suppress

# Of new objects, until Python looks for cycles among them: imports and a check make a hundred
# thousand that stay, and looking at them again and again took a tenth of a check.
LOOK_EVERY = 100_000
INTERRUPTED = 130  # as shells say of SIGINT


def program() -> None:
    """Run the command line, and end the process with its exit code."""
    gc.set_threshold(LOOK_EVERY, *gc.get_threshold()[1:])
    ended: list[int] = []
    atexit.register(_end, ended)  # before all others, so that it is called after them
    try:
        from assay.cli.main import main  # noqa: PLC0415 - what it makes is counted already

        main()
    except KeyboardInterrupt:  # before `main` could say so
        print("error: interrupted", file=sys.stderr)  # noqa: T201 - click may not be there
        ended.append(INTERRUPTED)
        sys.exit(INTERRUPTED)
    except SystemExit as left:
        if isinstance(left.code, int):
            ended.append(left.code)
        raise


def _end(code: list[int]) -> None:
    """End at once with the code; the system frees memory sooner than Python, object by object.

    What cannot be written, and an error that nobody expected, are left to Python.
    """
    with suppress(OSError, ValueError):
        for stream in filter(None, (sys.stdout, sys.stderr)):  # None: it was closed before
            stream.flush()
        for number in code:
            os._exit(number)

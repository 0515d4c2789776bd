# SPDX-License-Identifier: MIT
"""The fence around each package: an unexpected exception is that package's failure.

Wherever a package is read, built, examined or measured, what nobody expected is caught, unless
it is about the machine or the user: then it ends the command as before.
"""

import errno
import re
import shutil
import traceback
from pathlib import Path

from assay.errors import AssayError, MachineError, UsageError

HERE = Path(__file__).parent
FRAMES = 12  # of the evidence: the innermost
TEXT_CHARACTERS = 200  # of an exception's message, which may quote megabytes

CURE = (
    "This is a defect of Assay that the package brings out: report it with the package. Other "
    "packages are examined all the same."
)

# What the next package would meet as well.
_MACHINES = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.ENOMEM, errno.EROFS, errno.EMFILE, errno.ENFILE,
     errno.EIO, errno.EAGAIN, errno.EPIPE)
)  # fmt: skip


def ends_all(error: BaseException) -> bool:
    """Return whether an exception ends a campaign: an interrupt, no memory, a full disk, ..."""
    if isinstance(error, OSError):
        return number_of(error) in _MACHINES
    if isinstance(error, RuntimeError) and "start new thread" in str(error):
        return True
    return not isinstance(error, Exception) or isinstance(
        error, (MemoryError, MachineError, UsageError)
    )


def number_of(error: OSError) -> int:
    """Return the system's number of an error, the first one where copying a folder met several."""
    told = str(error) if isinstance(error, shutil.Error) else ""
    found = re.search(r"\[Errno (\d+)\]", told)
    return int(found[1]) if found else error.errno or 0


def reason_of(error: BaseException) -> str:
    """Return what went wrong, and the innermost place in Assay's own code."""
    if isinstance(error, AssayError):
        return str(error)
    frames = _frames(error)
    where = f" ({frames[-1].partition(' in ')[0]})" if frames else ""
    return f"Assay itself failed: {named(error)}{where}"


def cure_of(error: BaseException) -> str:
    """Return what to do: an error that was made for users says it."""
    return error.cure if isinstance(error, AssayError) else CURE


def evidence_of(error: BaseException) -> str:
    """Return the innermost calls within Assay as lines `file:line in function`."""
    lines = _frames(error)[-FRAMES:]
    return "".join(f"{line}\n" for line in (*lines, named(error)))


def named(error: BaseException) -> str:
    """Write an exception as Python does; a long message is cut."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - a message that cannot be made must not end anything
        text = "its message cannot be shown"
    cut = f"{text[:TEXT_CHARACTERS]}..." if len(text) > TEXT_CHARACTERS else text
    return f"{type(error).__name__}: {cut}" if cut else type(error).__name__


def _frames(error: BaseException) -> list[str]:
    """Return the calls in Assay's own files, the innermost last; a deep recursion is cut."""
    found = traceback.extract_tb(error.__traceback__)
    inside = [one for one in found if Path(one.filename).is_relative_to(HERE)]
    return [
        f"{Path(one.filename).relative_to(HERE).as_posix()}:{one.lineno} in {one.name}"
        for one in inside[-FRAMES:]
    ]

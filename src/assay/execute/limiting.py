# SPDX-License-Identifier: MIT
"""The words that limit a command: by `prlimit`, or where there is none by the shell alone.

POSIX knows `ulimit -f` in blocks of 512 bytes; the other limits are those of dash, bash, ksh
and the shells of the BSDs, and of memory and processes what a system does not know is left out.
"""

import resource
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.execute.jail import Limits

BLOCK_BYTES, KIB = 512, 1024
DYING_SECONDS = 2  # from SIGXCPU, which says why, to SIGKILL, which nobody can ignore
# $1 to $5 are numbers for ulimit, $6 the working folder; then variables and the command.
SCRIPT = """\
ulimit -c 0; ulimit -t "$1" || exit 125; ulimit -f "$2" || exit 125
{ ulimit -v "$3"; ulimit -d "$4"; ulimit -u "$5" || ulimit -p "$5"; } 2>/dev/null
cd "$6" && shift 6 && exec /usr/bin/env -i "$@"
"""


def prlimit_words(prlimit: str, limits: "Limits", running: int) -> list[str]:
    """Return the words that limit a command; its user runs so many threads already."""
    return [
        prlimit,
        f"--cpu={limits.cpu_seconds}:{limits.cpu_seconds + DYING_SECONDS}",
        f"--as={limits.memory_bytes}",
        f"--data={_data_bytes(limits)}",
        f"--nproc={_most_processes(running + limits.processes)}",
        f"--fsize={limits.file_bytes}",
        "--core=0",
    ]


def unjailed_words(limits: "Limits", running: int, home: Path) -> list[str]:
    """Return the words that limit a command without a jail, and let it begin in `home`.

    Variables and the command follow.
    """
    prlimit = shutil.which("prlimit")
    if prlimit:
        return [*prlimit_words(prlimit, limits, running), "env", "-i", "-C", str(home)]
    numbers = (
        limits.cpu_seconds,
        limits.file_bytes // BLOCK_BYTES,
        limits.memory_bytes // KIB,
        _data_bytes(limits) // KIB,
        running + limits.processes,
    )
    return ["/bin/sh", "-c", SCRIPT, "limits", *map(str, numbers), str(home)]


def bounded_output(words: list[str], size: int) -> list[str]:
    """Return the words that let a command write no longer files than `size`, on any system."""
    return ["/bin/sh", "-c", f'ulimit -f {size // BLOCK_BYTES}; exec "$@"', "limits", *words]


def _most_processes(wanted: int) -> int:
    """Return how many a command may have; more than the user may have cannot be asked for."""
    _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)


def _data_bytes(limits: "Limits") -> int:
    return limits.memory_bytes if limits.data_bytes is None else limits.data_bytes

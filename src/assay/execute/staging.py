# SPDX-License-Identifier: MIT
"""Folders that the jailed user can reach, and files without a name, each for one purpose.

The names of folders carry the process that made them, so that what a killed one left
behind is found and removed by the next.
Only those who inherit the descriptor have a file without a name. Linux keeps it in memory, and
can let nobody change its size. Elsewhere it is a file of the folder for temporary ones whose
name is gone.
"""

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.execute.jail import fresh_user
from assay.execute.process_time import is_alive

MADE_BY = re.compile(r"assay-(?:[a-z]+-)?(\d+)-\w+")


@contextmanager
def staged_folder(prefix: str = "assay-") -> Iterator[Path]:
    """Make a folder for jailed commands in the system's temporary folder, for a while."""
    folder = Path(tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}-"))
    try:
        hand_over(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep() -> None:
    """Remove the folders of processes that are no more."""
    for folder in Path(tempfile.gettempdir()).glob("assay-*"):
        maker = MADE_BY.fullmatch(folder.name)
        if maker and folder.is_dir() and not is_alive(int(maker[1])):
            shutil.rmtree(folder, ignore_errors=True)


def hand_over(path: Path) -> None:
    """Hand `path` over to the user of jailed commands, to be read only.

    Modes are set, since the umask may have taken them away.
    """
    for each in (path, *path.rglob("*")):
        each.chmod(0o755)
    if os.geteuid() == 0:
        user = fresh_user()
        os.chown(path, user, user)


IN_MEMORY = hasattr(os, "memfd_create")


def unnamed_file(name: str, content: bytes = b"", *, fixed: bool = False) -> int:
    """Make a file with a content and return its descriptor; a `fixed` one keeps its size.

    `name` is seen in lists of open files only.
    """
    if not IN_MEMORY:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
        os.pwrite(descriptor, content, 0)
        return descriptor
    sealing = os.MFD_ALLOW_SEALING if fixed else 0
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC | sealing)
    os.pwrite(descriptor, content, 0)
    if fixed:
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
    return descriptor

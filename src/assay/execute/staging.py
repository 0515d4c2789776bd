# SPDX-License-Identifier: MIT
"""Folders that the jailed user can reach, made for one purpose and removed after it.

Their names carry the process that made them, so that what a killed one left
behind is found and removed by the next.
"""

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

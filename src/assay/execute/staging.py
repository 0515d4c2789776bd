# SPDX-License-Identifier: MIT
"""Folders that the jailed user can reach, made for one purpose and removed after it."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.execute.jail import fresh_user


@contextmanager
def staged_folder(prefix: str = "assay-") -> Iterator[Path]:
    """Make a folder for jailed commands in the system's temporary folder, for a while."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        hand_over(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def hand_over(path: Path) -> None:
    """Give `path` to a user for jailed commands; what is in it can only be read.

    Modes are set, since the umask may have taken them away.
    """
    for each in (path, *path.rglob("*")):
        each.chmod(0o755)
    if os.geteuid() == 0:
        user = fresh_user()
        os.chown(path, user, user)

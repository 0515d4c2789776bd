# SPDX-License-Identifier: MIT
"""Agents that are kept: each ends with a mark of the user's, without which it never runs."""

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from assay.compile.files import place
from assay.errors import MachineError
from assay.machine.marks import MARK_CHARACTERS, is_mark, mark_of

FOLDERS, DAYS = 64, 30  # of results folders, whose agents are kept


def keep_agent(made: Path, to: Path) -> None:
    """Put an agent that was linked in place; a mark of it and its name is added to its end."""
    content = made.read_bytes()
    with tempfile.NamedTemporaryFile() as marked:
        marked.write(content + mark_of(to.name.encode(), content).encode())
        marked.flush()
        place(Path(marked.name), to, mode=0o755)


def is_kept(agent: Path) -> bool:
    """Return whether an agent is there, as it was linked here and under this name."""
    return _content(agent) is not None


def content_of_agent(agent: Path) -> bytes:
    """Return an agent without its mark; MachineError if it is not what was linked here."""
    content = _content(agent)
    if content is None:
        raise MachineError(
            f"{agent} is not the agent that was built", "Start the same command again."
        )
    return content


def _content(agent: Path) -> bytes | None:
    try:
        if agent.is_symlink() or not agent.is_file():
            return None
        marked = agent.read_bytes()
    except OSError:
        return None
    content, mark = marked[:-MARK_CHARACTERS], marked[-MARK_CHARACTERS:]
    return (
        content if is_mark(mark.decode(errors="replace"), agent.name.encode(), content) else None
    )


def used_folder(folder: Path) -> Path:
    """Return a results folder's folder of agents, and remove others that are long unused."""
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    found = []
    for one in folder.parent.iterdir():
        with suppress(OSError):
            found.append((one.stat(follow_symlinks=False).st_mtime, one))
    oldest = time.time() - DAYS * 24 * 60 * 60
    for number, (used, one) in enumerate(sorted(found, reverse=True)):
        if one != folder and (used < oldest or number >= FOLDERS):
            shutil.rmtree(one, ignore_errors=True)
    return folder

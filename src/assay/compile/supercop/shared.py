# SPDX-License-Identifier: MIT
"""Headers that all packages see: one copy for all builds of a process, in the jail's sight.

Fifty small files are copied and removed in a time in which a short source is compiled.
"""

import atexit
import functools
import shutil
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from threading import Lock

from assay.compile.parts import HARNESS
from assay.compile.supercop.headers import plain_headers
from assay.execute.jail import Jail
from assay.execute.staging import hand_over, staged_folder

PROVIDED, PLAIN, SUBJECT = "provided", "plain", "subject"
_ONE_AT_A_TIME = Lock()


def shared_folder() -> Path:
    """Return the folder of what is the same for all; it is removed when the process ends.

    In it stand `provided` (the harness's headers and services), `plain` (headers with
    plain names) and `subject` (what adapters include).
    """
    with _ONE_AT_A_TIME:  # or two threads would make two, and mix them up
        folder = _made(tempfile.gettempdir())
        if not all((folder / name).is_dir() for name in (PROVIDED, PLAIN, SUBJECT)):
            _made.cache_clear()  # whoever cleans temporary folders was here
            folder = _made(tempfile.gettempdir())
        return folder


def seeing_shared(jail: Jail) -> Jail:
    """Return the same jail, in which the folder can be read."""
    return replace(jail, readable=(*jail.readable, shared_folder()))


def link_shared(home: Path, *names: str) -> None:
    """Let parts of the folder be seen in the folder of a build, under their own names."""
    for name in names:
        (home / name).symlink_to(shared_folder() / name)


@functools.lru_cache(maxsize=8)
def _made(_parent: str) -> Path:
    stack = ExitStack()
    atexit.register(stack.close)
    folder = stack.enter_context(staged_folder("assay-shared-"))
    shutil.copytree(HARNESS / "supercop", folder / PROVIDED)
    shutil.copytree(HARNESS / "subject", folder / SUBJECT)
    write_texts(folder / PLAIN, plain_headers())
    hand_over(folder)
    return folder


def write_texts(folder: Path, texts: dict[str, str]) -> None:
    """Write files into a folder, made if need be."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text)

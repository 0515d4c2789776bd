# SPDX-License-Identifier: MIT
"""The toolchain that rustup installed, for the jail: a system may have no other cargo.

The `cargo` in a user's PATH is then rustup's own program, which chooses a toolchain by files
of the user. The jail sees that toolchain alone, and calls its programs.
"""

import atexit
import contextlib
import functools
import os
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path

from assay.execute.staging import staged_folder

SYSTEM = "/usr/bin:/bin"  # where programs in the jail look for others
PARTS = ("bin", "lib")
OTHERS = 0o001


@functools.cache
def rustup_toolchain() -> Path | None:
    """Return the folder of the toolchain that the jail needs; None if the system has a cargo.

    None, too, where there is no rustc in PATH, or it names no folder with cargo in it.
    """
    if shutil.which("cargo", path=SYSTEM):
        return None
    root = _sysroot()
    if root is None or not all((root / "bin" / tool).is_file() for tool in ("cargo", "rustc")):
        return None
    return root if _reachable(root) else _linked(root)


def _sysroot() -> Path | None:
    rustc = shutil.which("rustc")
    if rustc is None:
        return None
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        asked = [rustc, "--print", "sysroot"]
        ended = subprocess.run(
            asked, cwd="/", capture_output=True, text=True, timeout=20, check=False
        )
        if ended.returncode == 0 and ended.stdout.strip():
            return Path(ended.stdout.strip()).resolve()
    return None


def _reachable(root: Path) -> bool:
    """Return whether jailed commands may enter it: those of root run as another user."""
    return os.geteuid() != 0 or all(each.stat().st_mode & OTHERS for each in (root, *root.parents))


def _linked(root: Path) -> Path:
    """Link its files into a folder that they can enter; it is removed when the process ends."""
    stack = ExitStack()
    atexit.register(stack.close)
    folder = stack.enter_context(staged_folder("assay-rust-"))
    for part in PARTS:
        shutil.copytree(root / part, folder / part, symlinks=True, copy_function=_link)
    return folder


def _link(source: str, target: str) -> None:
    """Link a file; copy it from another file system."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target)

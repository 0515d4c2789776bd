# SPDX-License-Identifier: MIT
"""Timing a command by the clock, and when its output first has certain words."""

import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class Waited:
    """Seconds until a command ended, and until words were seen; its exit code and last line."""

    seconds: float
    code: int
    seen: dict[str, float] = field(default_factory=dict)
    last_line: str = ""


def wait_for(
    words: Sequence[str | Path],
    cache: Path,
    look_for: Sequence[str] = (),
    cwd: Path = ROOT,
    root: Path = ROOT,
) -> Waited:
    """Run a command of Assay with an own cache, and listen to it.

    Below `root` are its packages, and reports that `start` goes on with.
    """
    command = [str(ROOT / "scripts" / "assay"), *map(str, words)]
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "ASSAY_ROOT": str(root)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # nobody compiles all modules each time
    begun, seen, last = time.monotonic(), dict[str, float](), ""
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        for line in process.stdout or ():
            for one in look_for:
                if one in line:
                    seen.setdefault(one, time.monotonic() - begun)
            last = line.strip() or last
    return Waited(time.monotonic() - begun, process.returncode, seen, last)

# SPDX-License-Identifier: MIT
"""Which Assay this is: its version, and in a clone the commit."""

import subprocess
from functools import cache
from pathlib import Path

import assay

_SECONDS = 5


@cache
def version_text() -> str:
    """Return `0.1.0`, in a clone with the commit: `0.1.0 (81800033, changed)`."""
    root = Path(assay.__file__).parents[2]
    if not (root / ".git").exists():
        return assay.__version__
    command = ("git", "-C", str(root), "describe", "--always", "--dirty=, changed", "--exclude=*")
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return assay.__version__
    return f"{assay.__version__} ({done.stdout.strip()})"

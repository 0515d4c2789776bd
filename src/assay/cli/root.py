# SPDX-License-Identifier: MIT
"""Where the packages are and where results go: the HOWTO's folders."""

import os
import socket
from pathlib import Path

from assay.errors import UsageError


def repository_root() -> Path:
    """Find the folder with submissions/ and benchmarks/.

    `ASSAY_ROOT` (set by the scripts) wins; otherwise it is the working folder or
    its nearest ancestor that has a `submissions` folder.
    """
    named = os.environ.get("ASSAY_ROOT")
    if named:
        return Path(named).resolve()
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "submissions").is_dir():
            return folder
    raise UsageError(
        f"no folder with submissions/ at or above {here}",
        "Call ./scripts/assay from the clone, or set ASSAY_ROOT to it.",
    )


def reports_folder(root: Path) -> Path:
    """Name `reports-$HOSTNAME` below the root: compilers, configs/, shortlist live here."""
    host = os.environ.get("HOSTNAME") or socket.gethostname()
    return root / f"reports-{host}"

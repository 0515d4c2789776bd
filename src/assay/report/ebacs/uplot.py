# SPDX-License-Identifier: MIT
"""Where uPlot is, which draws the graphs: set-up puts it into the environment's folder."""

import shutil
import sys
from pathlib import Path

FILES = ("uPlot.iife.min.js", "uPlot.min.css", "uPlot.LICENSE")
MISSING = (
    "The graphs need uPlot, which was not there when these pages were made. "
    "Run scripts/setup in a clone with a network and npm, then write the pages again; "
    "a wheel that is built there afterwards brings it."
)


def uplot_folder() -> Path:
    """Return the folder in which set-up puts uPlot, whether or not it is there."""
    return Path(sys.prefix) / "share" / "assay" / "uplot"


def copy_uplot(folder: Path, origin: Path | None = None) -> bool:
    """Put uPlot with its licence next to the pages; False if it is not installed."""
    origin = origin or uplot_folder()
    if not all((origin / name).is_file() for name in FILES):
        return False
    for name in FILES:
        shutil.copyfile(origin / name, folder / name)
    return True

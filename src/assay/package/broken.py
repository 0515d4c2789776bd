# SPDX-License-Identifier: MIT
"""What cannot be loaded, as a record whose reason names files as its author knows them."""

import os
import re
from pathlib import Path

from assay.model import BrokenPackage


def broken_package(
    root: Path, place: str, selector: str, tree: Path, reason: str, cure: str
) -> BrokenPackage:
    """Make the record of a package that cannot be loaded; paths become relative to it."""
    for above, name in ((root, "the package"), (tree, "the tree")):
        for folder in sorted({str(above), os.path.realpath(above)}, key=len, reverse=True):
            reason = _relative(reason, folder, name)
    return BrokenPackage(selector, place, root, reason, cure)


def _relative(text: str, folder: str, name: str) -> str:
    """Leave out the way to a folder; the folder itself is called `name`."""
    if folder == "/":
        return text
    shorter = text.replace(f"{folder}/", "")
    return re.sub(rf"{re.escape(folder)}(?![\w.+-])", lambda _: name, shorter)

# SPDX-License-Identifier: MIT
"""What a benchmark of its own compiles with each package: headers in `inc/`, sources in `src/`.

BRUTUS, for CAESAR's submissions, has SUPERCOP's headers of subroutines in the folder `inc` of its
tree, and a source that defines their functions by OpenSSL's.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from assay.package.supercop.files import Files, read_files
from assay.package.supercop.links import is_below
from assay.package.supercop.listing import API
from assay.package.text import has_main

HEADERS = "inc"
SOURCES = "src"
_LEVELS = 5


def helper_files(files: Files, tree: Path) -> dict[str, str]:
    """Find the headers of subroutines that a package lacks and its tree has, and their sources.

    Names begin with `inc/` and `src/`. Sources are those beside `inc` that include `api.h`, as
    they are compiled with each package; without any the headers alone promise nothing.
    """
    for above in _above(files.folder, tree):
        headers = read_files(above / HEADERS, tree)
        wanted = [one for one in _subroutines(files) if one in headers.real]
        sources = _sources(read_files(above / SOURCES, tree)) if wanted else {}
        if sources:
            own = {f"{HEADERS}/{name}": headers.real[name] for name in headers.top(".h")}
            return own | {f"{SOURCES}/{name}": real for name, real in sources.items()}
    return {}


def _subroutines(files: Files) -> list[str]:
    """Name the headers of other primitives, as SUPERCOP has them, that are not in the package."""
    every = (one for one in files.includes() if one.startswith("crypto_"))
    return sorted(one for one in every if one not in files.real)


def _sources(files: Files) -> dict[str, str]:
    names = (name for name in files.top(".c") if API in files.facts(name).includes)
    return {name: files.real[name] for name in names if not has_main(files.code(name))}


def _above(folder: Path, tree: Path) -> Iterator[Path]:
    """Yield the folders above, up to the tree, that have both folders."""
    limit = os.path.realpath(tree)
    for above in [*folder.parents][:_LEVELS]:
        if not is_below(os.path.realpath(above), limit):
            return
        if (above / HEADERS).is_dir() and (above / SOURCES).is_dir():
            yield above

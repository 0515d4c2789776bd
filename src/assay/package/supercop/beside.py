# SPDX-License-Identifier: MIT
"""Sources that stand beside the folder of api.h: `include/api.h` and `src/*.c`."""

import os
from pathlib import Path

from assay.package.supercop.files import SOURCES, Files, read_files
from assay.package.supercop.links import is_below
from assay.package.supercop.listing import API

_HEADERS = ("inc", "include", "includes")
_SOURCES = ("src", "source", "sources", "lib")
_NO_PART = frozenset({"test", "tests", "bench", "benchmark", "benchmarks", "kat", "nistkat"})


def beside_headers(files: Files, tree: Path) -> dict[str, Path]:
    """Find the sources and headers beside a folder of headers, by their names from above it.

    Empty if the folder is none of headers, or there is no folder of sources beside it.
    """
    top = files.folder.parent
    if not is_of_headers(files.folder) or not _inside(top, tree):
        return {}
    sources = [one for name in _SOURCES if _is_part(one := top / name, tree)]
    if not sources:
        return {}
    headers = [one for name in _HEADERS if _is_part(one := top / name, tree)]
    others = [one for one in headers if one != files.folder]
    return {
        f"{folder.name}/{name}": Path(real)
        for folder in (*sources, *others)
        for name, real in read_files(folder, tree).real.items()
        if _NO_PART.isdisjoint(name.lower().split("/")[:-1])
        and name.endswith((*SOURCES, ".h", ".inc"))
    }


def is_of_headers(folder: Path) -> bool:
    """Return whether a folder may hold api.h apart from the sources."""
    return folder.name.lower() in _HEADERS


def _is_part(folder: Path, tree: Path) -> bool:
    return folder.is_dir() and not (folder / API).is_file() and _inside(folder, tree)


def _inside(folder: Path, tree: Path) -> bool:
    return is_below(os.path.realpath(folder), os.path.realpath(tree))

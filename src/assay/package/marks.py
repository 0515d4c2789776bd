# SPDX-License-Identifier: MIT
"""Which API the package in a folder follows, told by its headers."""

import re
from pathlib import Path

from assay.errors import PackageError
from assay.model.api import STEM, Api
from assay.model.apis import PACKAGED, STREAMS
from assay.package.text import code_of, read_text
from assay.package.tree import has_header


def api_of(folder: Path) -> Api | None:
    """Return the API of the package that a folder holds; None if it is no package.

    Where a stream cipher has several headers, its loader decides.
    """
    others = (one for one in PACKAGED.values() if one.name not in STREAMS)
    stream = next(iter(STREAMS.values())) if has_header(folder) else None
    return stream or next((one for one in others if header_of(folder, one)), None)


def header_of(folder: Path, api: Api) -> str | None:
    """Name the header in a folder that is one of the API; None if there is none."""
    try:
        names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".h"))
        other = any((folder / name).exists() for name in api.marks.unless)
    except OSError:
        return None
    if other:
        return None
    named = (name for name in api.marks.headers if name in names)
    declaring = (name for name in names if _declares(folder / name, api.marks.declares))
    return next(named, None) or next(declaring, None)


def _declares(path: Path, patterns: tuple[str, ...]) -> bool:
    """Return whether a header is that of an API, by what it says; it may break every rule."""
    name = path.stem
    if not patterns or not name.isidentifier() or not name.isascii() or not path.is_file():
        return False
    try:
        code = code_of(read_text(path))
    except PackageError:
        return False
    return all(re.search(one.replace(STEM, name), code) for one in patterns)

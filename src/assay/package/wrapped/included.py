# SPDX-License-Identifier: MIT
"""The folders of headers that sources include, and that nobody has named."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from assay.package.text import code_of, read_text
from assay.package.wrapped.signature import SYSTEM

MOST_BYTES = 4 << 20
MOST_FILES = 2000
_INCLUDED = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*(?:\"([^\"]+)\"|<([^>\"]+/[^>\"]+)>)", re.MULTILINE
)


def missing_folders(files: Sequence[Path], include: Sequence[Path], root: Path) -> dict[Path, str]:
    """Return folders below `root` that have what files include, each with the first such header.

    A header that several files there are called like is left to the reader, and one in angle
    brackets that the system has is the system's; `<gmssl/sm3.h>` is not.
    """
    found: dict[Path, str] = {}
    todo, seen = list(files), set[Path]()
    while todo:
        one = todo.pop(0)
        if one in seen or not one.is_file() or len(seen) >= MOST_FILES:
            continue
        seen.add(one)
        for quoted, angled in _INCLUDED.findall(code_of(read_text(one, MOST_BYTES))):
            name = quoted or angled
            if angled and any((folder / name).is_file() for folder in SYSTEM):
                continue
            places = [folder / name for folder in (one.parent, *include, *found)]
            there = next((place for place in places if place.is_file()), None)
            if there is None and len(own := list(_below(root, name))) == 1:
                there = own[0]
                found[there.parents[len(Path(name).parts) - 1]] = name
            todo += [there] if there else []
    return found


def _below(root: Path, name: str) -> Iterator[Path]:
    """Yield the files below a folder whose path ends like the name in an `#include`."""
    last = Path(name).name
    every = islice(root.rglob(last), MOST_FILES) if last and "*" not in last else ()
    yield from (one for one in every if one.is_file() and one.as_posix().endswith(f"/{name}"))

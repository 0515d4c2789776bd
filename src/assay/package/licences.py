# SPDX-License-Identifier: MIT
"""Licences: the terms under which a package's files may be used, as they state them.

What sources say at their beginning counts, and files such as LICENSE beside them; where the
package's folder has none of these, the nearest folder above it that does. Names are those of
SPDX. A text is known by words that no other licence has, so terms that somebody wrote himself
have no name here.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path, PurePosixPath

from assay.errors import PackageError
from assay.grouped import grouped
from assay.model import Package
from assay.package.supercop.listing import Listed
from assay.package.text import read_text
from assay.package.tree import COMPILED

HEAD = 4096  # characters of a source: its comment at the beginning
MOST_FILES = 2000
_FILE = re.compile(r"(un)?licen[cs]e|copying|copyright", re.IGNORECASE)
_IDENTIFIER = re.compile(r"SPDX-License-Identifier:[ \t]*([\w.+() \t-]*[\w.+)])")
_PLAIN = re.compile(r"[\W_]+", re.ASCII)
# In this order: the first whose words are all there.
_WORDS = (
    ("LGPL-{}", ("gnu lesser general public license",)),
    ("GPL-{}", ("gnu general public license",)),
    ("Apache-2.0", ("apache license", "version 2 0")),
    ("MPL-2.0", ("mozilla public license", "2 0")),
    ("BSL-1.0", ("boost software license",)),
    ("BSD-3-Clause", ("redistribution and use in source and binary forms", "neither the name")),
    ("BSD-2-Clause", ("redistribution and use in source and binary forms",)),
    ("MIT", ("permission is hereby granted free of charge",)),
    ("ISC", ("permission to use copy modify and or distribute this software for any purpose",)),
    ("CC0-1.0", ("cc0",)),
    ("CC0-1.0", ("creative commons zero",)),
    ("Unlicense", ("free and unencumbered software",)),
    ("public domain", ("public domain",)),
)
_VERSION = re.compile(r"general public license.{0,300}?\b(?:version|v) ?([123])(?: ([01]))?\b")

Licences = dict[str, tuple[str, ...]]


def licences_of(package: Package | Listed) -> Licences:
    """Return the licences of a package by name, each with the files that state it."""
    root, place = package.root, PurePosixPath(package.place)
    if isinstance(package, Package):
        files: Iterable[str] = package.files
    else:
        below = (one for one in sorted(root.rglob("*")) if one.is_file())
        files = [str(one.relative_to(root)) for one in islice(below, MOST_FILES)]
    found = _joined(_stated(root, files))
    for folder in root.parents[: len(place.parts)] if not found else ():
        beside = (one.name for one in sorted(folder.glob("*")) if one.is_file())
        if found := _joined(_stated(folder, filter(_FILE.match, beside))):
            up = "../" * (root.parents.index(folder) + 1)
            return {name: tuple(up + one for one in files) for name, files in found.items()}
    return found


def _joined(pairs: Iterable[tuple[str, str]]) -> Licences:
    return {name: tuple(files) for name, files in sorted(grouped(pairs).items())}


def _stated(folder: Path, files: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the licences that files of a folder state, with the file; none twice for one."""
    for file in files:
        alone = _FILE.match(PurePosixPath(file).name) is not None
        if alone or file.endswith(COMPILED):
            with suppress(PackageError):
                text = read_text(folder / file)
                yield from ((name, file) for name in named(text if alone else text[:HEAD]))


def named(text: str) -> tuple[str, ...]:
    """Name the licences of a text: by SPDX's identifier, or by the words of a licence."""
    if said := _IDENTIFIER.findall(text):
        return tuple(dict.fromkeys(said))
    plain = _PLAIN.sub(" ", text.lower())
    for name, words in _WORDS:
        if all(one in plain for one in words):
            version = _VERSION.search(plain)
            number = f"{version[1]}.{version[2] or 0}" if version else "any"
            return (name.format(number),)
    return ()

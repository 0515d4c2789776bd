# SPDX-License-Identifier: MIT
"""Sources in folders below a package's own, as submissions to NIST have them."""

from collections.abc import Iterable, Iterator

from assay.package.supercop.files import SOURCES, Files
from assay.package.supercop.listing import API

_NO_PART = frozenset({"test", "tests", "bench", "benchmark", "benchmarks", "kat", "nistkat"})


def nested(files: Files, sources: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the folders below that sources reach by #include, and the sources in them.

    A folder is reached if a header in it is included by its path, or by its name where no
    other folder has one of that name.
    """
    below = [name for name in files.real if _is_part(name, files)]
    names = [name for name in files.real if "/" not in name and name.endswith(".h")]
    todo, folders = [*sources, *names], dict[str, None]()
    while todo:
        for header in files.facts(todo.pop()).includes:
            for folder in _meant(header, below, files):
                if folder not in folders:
                    folders[folder] = None
                    todo += _in(folder, below)
    found = [name for folder in folders for name in _in(folder, below)]
    included = {one.rsplit("/", 1)[-1] for name in found for one in files.facts(name).includes}
    own = (name for name in found if name.endswith(SOURCES))
    kept = (name for name in own if name.rsplit("/", 1)[-1] not in included)
    return tuple(sorted(folders)), tuple(sorted(kept))


def _meant(header: str, below: list[str], files: Files) -> Iterator[str]:
    """Yield the folder with a header that is not directly in the package's folder."""
    if header in files.real and "/" not in header:
        return
    found = [name for name in below if name == header or name.endswith(f"/{header}")]
    if len(found) == 1 or header in found:
        yield (header if header in found else found[0]).rpartition("/")[0]


def _in(folder: str, below: list[str]) -> list[str]:
    return [name for name in below if name.rpartition("/")[0] == folder]


def _is_part(name: str, files: Files) -> bool:
    """Return whether a file below belongs to no test and to no other implementation."""
    folder = name.rpartition("/")[0]
    if not folder or not name.endswith((*SOURCES, ".h")) or f"{folder}/{API}" in files.real:
        return False
    return _NO_PART.isdisjoint(folder.lower().split("/"))

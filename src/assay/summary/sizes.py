# SPDX-License-Identifier: MIT
"""Sizes as series: code of object files, contexts and static memory, lengths that an API fixes."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec.structs import replace

from assay.machine.cache import cache_folder
from assay.model.series import BYTES, Series
from assay.model.work import measured_sizes
from assay.store.rows import StoredCell

CODE = ("code/text", "code/data", "code/bss")
CONTEXT, STATE, MEMORY = "memory/context", "memory/state", "memory/"
STACK = f"{MEMORY}stack"
LENGTH = "length/"  # begins the lengths that an API fixes: `length/PUBLICKEYBYTES`

Sizes = tuple[int, int, int]  # text, data and bss, in bytes
ObjectFiles = tuple[tuple[Path, Sizes | None], ...]  # None of what cannot be read


def size_series(first: Series, sizes: Iterable[tuple[str, int]]) -> Iterator[Series]:
    """Yield a series of each size in bytes, `first` being what they share; no launch is behind."""
    for measure, size in sizes:
        yield replace(
            first, measure=measure, unit=BYTES, exact=True,
            q1=float(size), median=float(size), q3=float(size),
        )  # fmt: skip


def sizes_of(cell: StoredCell, objects: ObjectFiles) -> Iterator[tuple[str, int]]:
    """Yield measures of a cell of the store, with sizes in bytes; `objects` are its own."""
    files = [sizes for _, sizes in objects if sizes]
    if files and len(files) == len(cell.build.objects):
        yield from code_sizes(files)
    if cell.subject is not None:
        name, size = cell.subject.memory
        yield f"{MEMORY}{name}", size
        yield from [(f"{LENGTH}{name}", value) for name, value in cell.subject.sizes
                    if name.endswith("BYTES")]  # fmt: skip
    for name, size in measured_sizes(cell.checks).items():
        yield f"{MEMORY}{name}", size


def object_places(folder: Path) -> tuple[Path, Path]:
    """Return where object files of results in a folder may lie: there, and in the user's cache.

    A stranger's results may name any file.
    """
    return folder.resolve(), cache_folder().resolve()


def own_objects(cell: StoredCell, inside: tuple[Path, Path]) -> ObjectFiles:
    """Return the object files of a cell that are there, inside of `object_places`, with sizes."""
    if not cell.build.objects:
        return ()
    from assay.elf.files import object_sizes  # noqa: PLC0415 - most results have no such files

    found = (path for path in cell.build.objects if _is_within(path, inside))
    return tuple((path, object_sizes(path)) for path in found)


def _is_within(path: Path, folders: Iterable[Path]) -> bool:
    try:
        real = path.resolve()
        return any(real.is_relative_to(one) for one in folders) and real.is_file()
    except (OSError, ValueError):
        return False


def code_sizes(files: Iterable[Sizes]) -> Iterable[tuple[str, int]]:
    """Return the measures of code with the sums over all object files of a build."""
    return zip(CODE, map(sum, zip(*files, strict=True)), strict=True)

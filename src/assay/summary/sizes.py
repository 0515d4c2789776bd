# SPDX-License-Identifier: MIT
"""Sizes as series: code of object files, contexts and static memory, lengths that an API fixes."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from assay.elf.sizes import object_sizes
from assay.model import OperationSubject
from assay.model.series import BYTES, Series
from assay.store.rows import StoredCell

TEXT, DATA, BSS = "code/text", "code/data", "code/bss"
CONTEXT, STATE = "memory/context", "memory/state"
LENGTH = "length/"  # begins the lengths that an API fixes: `length/PUBLICKEYBYTES`


def size_series(first: Series, cell: StoredCell) -> Iterator[Series]:
    """Yield the sizes of a cell; code is read from object files that are still there."""
    found = [each for each in map(object_sizes, cell.build.objects) if each is not None]
    if found and len(found) == len(cell.build.objects):
        yield from code_series(first, found)
    subject = cell.subject
    if isinstance(subject, OperationSubject):
        yield _bytes(first, STATE, subject.state_bytes)
        lengths = (one for one in subject.constants if one[0].endswith("BYTES"))
        yield from (_bytes(first, f"{LENGTH}{name}", value) for name, value in lengths)
    elif subject is not None:
        yield _bytes(first, CONTEXT, subject.context_bytes)


def code_series(first: Series, files: Iterable[tuple[int, int, int]]) -> Iterator[Series]:
    """Yield the sizes of all object files of a build together."""
    sums = map(sum, zip(*files, strict=True))
    yield from map(_bytes, (first,) * 3, (TEXT, DATA, BSS), sums)


def _bytes(first: Series, measure: str, size: int) -> Series:
    """Make a series of one size, which no launch is behind."""
    return replace(
        first, measure=measure, unit=BYTES, exact=True,
        q1=float(size), median=float(size), q3=float(size),
    )  # fmt: skip

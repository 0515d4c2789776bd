# SPDX-License-Identifier: MIT
"""Frozen records to JSON and back, and ticks to bytes and back."""

import json
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from sys import byteorder
from typing import Any, TypeVar, cast
from zlib import compress, decompress
from zlib import error as zlib_error

from assay.errors import AssayError
from assay.store import typed

T = TypeVar("T")

# Raw ticks barely compress further at higher levels, and put_launch runs between launches.
COMPRESSION_LEVEL = 6


def dump(record: Any) -> str:
    """Write a dataclass instance as one line of JSON."""
    return json.dumps(asdict(record), default=_plain, sort_keys=True)


def load(kind: type[T], text: str, **apart: Any) -> T:
    """Read back what `dump` wrote for the dataclass `kind`; AssayError where it is damaged.

    Fields in `apart` are stored elsewhere and taken as they are.
    """
    with told(kind.__name__):
        value = json.loads(text)
    return read(kind, value, **apart)


def read(kind: type[T], value: Any, **apart: Any) -> T:
    """Make a `kind` of decoded JSON; AssayError where anything in it is of another type."""
    annotation: Any = kind
    with told(kind.__name__):
        return cast("T", typed.reader(annotation)(value, **apart))


def words(given: str) -> tuple[str, ...]:
    """Read a JSON list of texts; AssayError where it is damaged."""
    with told("list"):
        return cast("tuple[str, ...]", typed.reader(tuple[str, ...])(json.loads(given)))


@contextmanager
def told(what: str) -> Iterator[None]:
    """Say of a record that cannot be read that the file is damaged."""
    try:
        yield
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError, zlib_error) as why:
        raise AssayError(
            f"a stored {what} is damaged: {why}",
            "Restore a copy of results.sqlite, or move it away and run again.",
        ) from why


def pack(ticks: Sequence[int]) -> bytes:
    """Compress non-negative tick counts: 64-bit little-endian words, zlib."""
    counted = array("Q", ticks)
    if byteorder == "big":
        counted.byteswap()
    return compress(counted.tobytes(), COMPRESSION_LEVEL)


def unpack(blob: bytes) -> tuple[int, ...]:
    """Read back what `pack` wrote."""
    found = array("Q")
    with told("sample"):
        found.frombytes(decompress(blob))
    if byteorder == "big":
        found.byteswap()
    return tuple(found)


def _plain(value: Any) -> Any:
    """Give JSON what it does not know: paths as text, sets in a fixed order."""
    if isinstance(value, frozenset):
        return sorted(value)
    return str(value)

# SPDX-License-Identifier: MIT
"""Frozen records to JSON and back, by their type annotations.

A record that gained a field with a default since it was written can still be
read; fields that are no longer known are ignored.
"""

import json
import types
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, asdict, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from sys import byteorder
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints
from zlib import compress, decompress
from zlib import error as zlib_error

from assay.errors import AssayError

T = TypeVar("T")

# Raw ticks barely compress further at higher levels, and put_launch runs between launches.
COMPRESSION_LEVEL = 6

# No quantity is beyond it, and products of a few stay finite.
LARGEST = 1e60


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
        return cast("T", _reader(annotation)(value, **apart))


def words(text: str) -> tuple[str, ...]:
    """Read a JSON list of texts; AssayError where it is damaged."""
    with told("list"):
        return tuple(map(_text, json.loads(text)))


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


@cache
def _reader(kind: Any) -> Callable[..., Any]:
    """Make the function that turns decoded JSON into an instance of the annotation `kind`.

    Made once per annotation: looking at annotations anew for every value would
    take most of the time of reading a store.
    """
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        present = next(part for part in get_args(kind) if part is not type(None))
        return _optional(_reader(present))
    if origin is tuple:
        return _tuple(get_args(kind))
    if origin is frozenset:
        item = _reader(get_args(kind)[0])
        return lambda value: frozenset(map(item, value))
    if is_dataclass(kind):
        return _record(kind)
    if kind is Path:
        return lambda value: Path(_text(value))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    if kind is str:
        return _text
    if kind in (bool, int, float):
        return _number(kind)
    raise NotImplementedError(f"{kind} is not stored")


def _text(value: Any) -> str:
    """Read a text that can be written somewhere: lone surrogates cannot."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is no text")
    if not value.isascii():
        value.encode()
    return value


def _number(kind: Any) -> Callable[[Any], Any]:
    """Read a number that can be computed with; a whole one is a float, too."""
    allowed = (float, int) if kind is float else kind

    def read(value: Any) -> Any:
        if not isinstance(value, allowed) or not abs(value) < LARGEST:
            raise TypeError(f"{value!r:.40} is no {kind.__name__}")
        return value

    return read


def _optional(present: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Read `X | None`."""
    return lambda value: None if value is None else present(value)


def _tuple(parts: tuple[Any, ...]) -> Callable[[Any], Any]:
    """Read `tuple[X, ...]` and tuples of fixed length."""
    if parts[-1] is Ellipsis:
        item = _reader(parts[0])
        return lambda value: tuple(map(item, value))
    items = tuple(map(_reader, parts))
    return lambda value: tuple(read(each) for read, each in zip(items, value, strict=True))


def _record(kind: Any) -> Callable[..., Any]:
    """Read a dataclass from a mapping and what was stored apart, filling in defaults."""
    hints = get_type_hints(kind)
    readers = {field.name: _reader(hints[field.name]) for field in fields(kind)}
    needed = {
        field.name
        for field in fields(kind)
        if field.default is MISSING and field.default_factory is MISSING
    }

    def read(value: dict[str, Any], **apart: Any) -> Any:
        if not isinstance(value, dict):
            raise TypeError(f"no {kind.__name__}")
        if lacking := needed - value.keys() - apart.keys():
            raise AssayError(
                f"a stored {kind.__name__} lacks `{min(lacking)}`",
                "The results were written by another version; start a new results folder.",
            )
        known = (value.keys() & readers.keys()) - apart.keys()
        return kind(**{name: readers[name](value[name]) for name in known}, **apart)

    return read

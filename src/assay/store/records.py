# SPDX-License-Identifier: MIT
"""Frozen records to JSON and back, by their type annotations.

A record that gained a field with a default since it was written can still be
read; fields that are no longer known are ignored.
"""

import json
import types
from array import array
from collections.abc import Sequence
from dataclasses import MISSING, asdict, fields, is_dataclass
from enum import Enum
from pathlib import Path
from sys import byteorder
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints
from zlib import compress, decompress

from assay.errors import AssayError

T = TypeVar("T")

# Raw ticks barely compress further at higher levels, and put_launch runs between launches.
COMPRESSION_LEVEL = 6


def dump(record: Any) -> str:
    """Write a dataclass instance as one line of JSON."""
    return json.dumps(asdict(record), default=_plain, sort_keys=True)


def load(kind: type[T], text: str) -> T:
    """Read back what `dump` wrote for the dataclass `kind`."""
    return cast("T", _build(kind, json.loads(text)))


def pack(ticks: Sequence[int]) -> bytes:
    """Compress non-negative tick counts: 64-bit little-endian words, zlib."""
    words = array("Q", ticks)
    if byteorder == "big":
        words.byteswap()
    return compress(words.tobytes(), COMPRESSION_LEVEL)


def unpack(blob: bytes) -> tuple[int, ...]:
    """Read back what `pack` wrote."""
    words = array("Q")
    words.frombytes(decompress(blob))
    if byteorder == "big":
        words.byteswap()
    return tuple(words)


def _plain(value: Any) -> Any:
    """Give JSON what it does not know: paths as text, sets in a fixed order."""
    if isinstance(value, frozenset):
        return sorted(value)
    return str(value)


def _build(kind: Any, value: Any) -> Any:
    """Turn decoded JSON into an instance of the annotation `kind`."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        present = next(part for part in get_args(kind) if part is not type(None))
        return None if value is None else _build(present, value)
    if origin is tuple:
        return _tuple(get_args(kind), value)
    if origin is frozenset:
        return frozenset(_build(get_args(kind)[0], item) for item in value)
    if is_dataclass(kind):
        return _record(kind, value)
    if kind is Path or (isinstance(kind, type) and issubclass(kind, Enum)):
        return kind(value)
    return value


def _tuple(parts: tuple[Any, ...], value: list[Any]) -> tuple[Any, ...]:
    """Build `tuple[X, ...]` and tuples of fixed length."""
    if parts[-1] is Ellipsis:
        return tuple(_build(parts[0], item) for item in value)
    return tuple(_build(part, item) for part, item in zip(parts, value, strict=True))


def _record(kind: Any, value: dict[str, Any]) -> Any:
    """Build a dataclass from a mapping, filling in defaults."""
    hints = get_type_hints(kind)
    given = {}
    for field in fields(kind):
        if field.name in value:
            given[field.name] = _build(hints[field.name], value[field.name])
        elif field.default is MISSING and field.default_factory is MISSING:
            raise AssayError(
                f"a stored {kind.__name__} lacks the field `{field.name}`",
                "The results were written by another version; start a new results folder.",
            )
    return kind(**given)

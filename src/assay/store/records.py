# SPDX-License-Identifier: MIT
"""Frozen records to JSON and back, integers as few bytes; nothing that was stored is believed.

A record that gained a field with a default since it was written can still be read; fields that
are no longer known are ignored.

Integers of one sample lie close together: one byte says how wide a word is and whether the
smallest number has a sign, eight hold that number, and the words are differences from it, all
little-endian.
"""

import functools
import json
import struct
import types
from collections.abc import Sequence
from functools import lru_cache
from operator import or_
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo, asdict, fields

from assay.errors import AssayError

T = TypeVar("T")
# What reading a damaged value raises.
DAMAGE = (ValueError, TypeError, AttributeError, LookupError, RecursionError,
          msgspec.MsgspecError)  # fmt: skip
LARGEST = 1e60  # no quantity is beyond it, and products of a few stay finite
_BOUNDED = {
    float: Annotated[float, msgspec.Meta(gt=-LARGEST, lt=LARGEST)],
    int: Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)],
    Path: str,
}
CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}
START = 9
UNSIGNED = 0x80  # added to the first byte where the smallest number needs its 64th bit
LARGEST_SIGNED = (1 << 63) - 1


def dump(record: Any, omit: tuple[str, ...] = ()) -> str:
    """Write a record as one line of JSON, without the fields stored elsewhere."""
    kept = {name: getattr(record, name) for name in record.__struct_fields__ if name not in omit}
    return json.dumps(kept, default=_plain, sort_keys=True)


def load(kind: type[T], text: str | bytes, **apart: Any) -> T:
    """Read back what `dump` wrote for records of a `kind`; AssayError where it is damaged.

    Fields in `apart` are stored elsewhere and taken as they are.
    """
    try:
        return _made(kind, _decoder(cast("Any", kind), tuple(apart)).decode(text), apart)
    except DAMAGE as why:
        raise damaged(kind.__name__, why) from why


def read(kind: type[T], value: Any, **apart: Any) -> T:
    """Make a `kind` of decoded JSON; AssayError where anything in it is of another type."""
    try:
        stored = _stored(cast("Any", kind), tuple(apart))
        return _made(kind, msgspec.convert(value, stored), apart)
    except DAMAGE as why:
        raise damaged(kind.__name__, why) from why


def words(given: str) -> tuple[str, ...]:
    """Read a JSON list of texts; AssayError where it is damaged."""
    try:
        return msgspec.json.decode(given, type=tuple[str, ...])
    except DAMAGE as why:
        raise damaged("list", why) from why


def _made(kind: type[T], stored: Any, apart: dict[str, Any]) -> T:
    """Make a record of what was stored of it, and of what was stored apart."""
    for name, value in apart.items():
        setattr(stored, name, value)
    return msgspec.convert(stored, kind, from_attributes=True, dec_hook=_hook)


def _hook(kind: type, value: Any) -> Any:
    """Make a path, the one type in records that JSON libraries do not know."""
    return kind(value)


@functools.cache
def _decoder(kind: Any, apart: tuple[str, ...]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(_stored(kind, apart))


@functools.cache
def _stored(kind: Any, apart: tuple[str, ...] = ()) -> Any:
    """Return a type as it is stored: every number has bounds, and a path is a text."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        found = [
            (one.name, Any, None) if one.name in apart else _field(one) for one in fields(kind)
        ]
        return msgspec.defstruct(kind.__name__, found, kw_only=True)
    if given := tuple(one if one is Ellipsis else _stored(one) for one in get_args(kind)):
        origin: Any = get_origin(kind)
        return functools.reduce(or_, given) if origin is types.UnionType else origin[given]
    return _BOUNDED.get(kind, kind)


def _field(one: FieldInfo) -> tuple[Any, ...]:
    """Return name, type and default of a field."""
    if one.default_factory is not msgspec.NODEFAULT:
        return one.name, _stored(one.type), msgspec.field(default_factory=one.default_factory)
    known = () if one.default is msgspec.NODEFAULT else (one.default,)
    return (one.name, _stored(one.type), *known)


def damaged(what: str, why: BaseException) -> AssayError:
    """Report one of DAMAGE as damage of the file."""
    cure = "Restore a copy of results.sqlite, or move it away and run again."
    return AssayError(f"a stored {what} is damaged: {why}", cure)


def _plain(value: Any) -> Any:
    """Return what JSON knows: of records their fields, of sets a list in a fixed order."""
    if isinstance(value, msgspec.Struct):
        return asdict(value)
    if isinstance(value, frozenset):
        return sorted(value)
    return str(value)


def pack(values: Sequence[int]) -> bytes:
    """Write numbers of 64 bits, with a sign or without; nothing for none."""
    if not values:
        return b""
    least = min(values)
    width = _width(max(values) - least)
    mark = width | UNSIGNED if least > LARGEST_SIGNED else width
    words = [value - least for value in values]
    return _form(mark, START + width * len(words)).pack(mark, least, *words)


def unpack(blob: bytes) -> tuple[int, ...]:
    """Read back what `pack` wrote; AssayError where it is damaged."""
    if not blob:
        return ()
    try:
        _, least, *words = _form(blob[0], len(blob)).unpack(blob)
    except (*DAMAGE, struct.error) as why:
        raise damaged("sample", why) from why
    return tuple([least + word for word in words])


@lru_cache(maxsize=256)
def _form(mark: int, length: int) -> struct.Struct:
    """Return the form of numbers by their first byte and their length in bytes."""
    code, least = CODES[mark & ~UNSIGNED], "Q" if mark & UNSIGNED else "q"
    count = (length - START) // (mark & ~UNSIGNED)
    return struct.Struct(f"<B{least}{count}{code}")


def _width(span: int) -> int:
    """Return the bytes that a number needs: 1, 2, 4 or 8."""
    return next(width for width in CODES if span < 1 << 8 * width)

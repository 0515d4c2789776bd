# SPDX-License-Identifier: MIT
"""Decoded JSON to values of a type, by its annotation; nothing that was stored is believed.

A record that gained a field with a default since it was written can still be
read; fields that are no longer known are ignored. What does not fit raises a TypeError,
ValueError or LookupError.
"""

import types
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

from assay.errors import AssayError

# No quantity is beyond it, and products of a few stay finite.
LARGEST = 1e60


@cache
def reader(kind: Any) -> Callable[..., Any]:
    """Make the function that turns decoded JSON into an instance of the annotation `kind`.

    Made once per annotation: looking at annotations anew for every value would
    take most of the time of reading a store.
    """
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        present = next(part for part in get_args(kind) if part is not type(None))
        return _optional(reader(present))
    if origin is tuple:
        return _tuple(get_args(kind))
    if origin is dict:
        return _mapping(*map(reader, get_args(kind)))
    if origin is frozenset:
        item = reader(get_args(kind)[0])
        return lambda value: frozenset(map(item, _listed(value)))
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


def _listed(value: Any) -> Any:
    """Return a list as it is; a text has items, too, and is none."""
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{value!r:.40} is no list")
    return value


def _optional(present: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Read `X | None`."""
    return lambda value: None if value is None else present(value)


def _mapping(key: Callable[[Any], Any], item: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Read `dict[X, Y]`."""

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise TypeError(f"{value!r:.40} is no mapping")
        return {key(name): item(each) for name, each in value.items()}

    return read


def _tuple(parts: tuple[Any, ...]) -> Callable[[Any], Any]:
    """Read `tuple[X, ...]` and tuples of fixed length."""
    if parts[-1] is Ellipsis:
        item = reader(parts[0])
        return lambda value: tuple(map(item, _listed(value)))
    items = tuple(map(reader, parts))
    return lambda value: tuple(
        read(each) for read, each in zip(items, _listed(value), strict=True)
    )


def _record(kind: Any) -> Callable[..., Any]:
    """Read a dataclass from a mapping and what was stored apart, filling in defaults."""
    hints = get_type_hints(kind)
    readers = {field.name: reader(hints[field.name]) for field in fields(kind)}
    needed = {
        field.name
        for field in fields(kind)
        if field.default is MISSING and field.default_factory is MISSING
    }

    @lru_cache(maxsize=64)  # records of one kind have the same keys, thousands of times
    def known(given: tuple[Any, ...], apart: tuple[str, ...]) -> tuple[tuple[str, Any], ...]:
        if lacking := needed.difference(given, apart):
            raise AssayError(
                f"a stored {kind.__name__} lacks `{min(lacking)}`",
                "The results were written by another version; start a new results folder.",
            )
        names = [name for name in given if name in readers and name not in apart]
        return tuple((name, readers[name]) for name in names)

    def read(value: dict[str, Any], **apart: Any) -> Any:
        if not isinstance(value, dict):
            raise TypeError(f"no {kind.__name__}")
        plan = known(tuple(value), tuple(apart))
        return kind(**{name: item(value[name]) for name, item in plan}, **apart)

    return read

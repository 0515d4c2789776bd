# SPDX-License-Identifier: MIT
"""Frozen records to JSON and back."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields, is_dataclass
from typing import Any, TypeVar, cast

from assay.errors import AssayError
from assay.store import typed

T = TypeVar("T")


def dump(record: Any, omit: tuple[str, ...] = ()) -> str:
    """Write a dataclass instance as one line of JSON, without the fields stored elsewhere."""
    names = (one.name for one in fields(record) if one.name not in omit)
    kept = {name: getattr(record, name) for name in names}
    return json.dumps(kept, default=_plain, sort_keys=True)


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
    """Report an unreadable record as damage of the file."""
    try:
        yield
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError) as why:
        raise AssayError(
            f"a stored {what} is damaged: {why}",
            "Restore a copy of results.sqlite, or move it away and run again.",
        ) from why


def _plain(value: Any) -> Any:
    """Return what JSON knows: of records their fields, of sets a list in a fixed order."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, frozenset):
        return sorted(value)
    return str(value)

# SPDX-License-Identifier: MIT
"""Frozen records to JSON and back."""

import json
from dataclasses import asdict, fields, is_dataclass
from typing import Any, TypeVar, cast

from assay.errors import AssayError
from assay.store import typed

T = TypeVar("T")
_DAMAGE = (ValueError, TypeError, AttributeError, LookupError, RecursionError)


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


class told:  # noqa: N801 - it reads as a function, and is entered for each value of a store
    """Reports an unreadable record as damage of the file."""

    __slots__ = ("_what",)

    def __init__(self, what: str) -> None:
        """Name what is read."""
        self._what = what

    def __enter__(self) -> None:
        """Begin to read."""

    def __exit__(self, kind: object, why: BaseException | None, trace: object) -> None:
        """Raise AssayError for what reading a damaged value raises."""
        if isinstance(why, _DAMAGE):
            raise AssayError(
                f"a stored {self._what} is damaged: {why}",
                "Restore a copy of results.sqlite, or move it away and run again.",
            ) from why


def _plain(value: Any) -> Any:
    """Return what JSON knows: of records their fields, of sets a list in a fixed order."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, frozenset):
        return sorted(value)
    return str(value)
